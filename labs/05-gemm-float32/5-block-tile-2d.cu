// 8 x 8 elements of C per thread.
//
// Rung 4 is still limited by shared memory: 9 loads per 8 FMAs. A column of 8 elements reuses B; a
// square reuses both. With 8 elements of A and 8 of B in registers a thread executes 64 FMAs: 16
// loads per 64.
//
//           b0 b1 .. b7                 the outer product of a column of A's tile and a row of B's,
//       a0   x  x  ..  x                kTileK of them per k-step, added to 64 accumulators
//       ..
//       a7   x  x  ..  x
//
//     tile of C 128 x 128; tiles of A 128 x 8 and of B 8 x 128: 1024 elements, four per thread
//
//     ./ridge grade 05-gemm-float32/5-block-tile-2d
#include "gemm_float32.h"

namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;  // of C, and the k-step
constexpr int kRows = 8, kCols = 8;                    // elements of C per thread
constexpr int kThreadsN = kTileN / kCols;              // 16 threads along a row of the tile
constexpr int kThreads = kTileM / kRows * kThreadsN;   // 256 per block

__global__ void __launch_bounds__(kThreads) multiply_square_per_thread(const float* a,  // [m][k]
                                                                       const float* b,  // [k][n]
                                                                       float* c,        // [m][n]
                                                                       int m, int n, int k) {
  __shared__ float tile_a[kTileM][kTileK];  // [row][p]
  __shared__ float tile_b[kTileK][kTileN];  // [p][col]
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  const int x = threadIdx.x % kThreadsN * kCols;  // this thread's first column of the tile
  const int y = threadIdx.x / kThreadsN * kRows;  // and row
  float acc[kRows][kCols] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    for (int i = threadIdx.x; i < kTileM * kTileK; i += kThreads) {
      const int row = i / kTileK, p = i % kTileK;
      tile_a[row][p] = row0 + row < m && k0 + p < k ? a[(row0 + row) * k + k0 + p] : 0.0f;
    }
    for (int i = threadIdx.x; i < kTileK * kTileN; i += kThreads) {
      const int p = i / kTileN, col = i % kTileN;
      tile_b[p][col] = k0 + p < k && col0 + col < n ? b[(k0 + p) * n + col0 + col] : 0.0f;
    }
    __syncthreads();
    // TODO (about 9 lines): for each p: kRows elements of tile_a, from row y on, and kCols of
    // tile_b, from column x on, into two small arrays, which the compiler keeps in registers; then
    // the outer product of the two.
    __syncthreads();
  }
  // TODO (about 3 lines): store the accumulators that are inside C.
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_square_per_thread<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
