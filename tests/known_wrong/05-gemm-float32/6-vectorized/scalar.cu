// expect: SLOW
// Right, but it moves 4 bytes per instruction: this is rung 5.
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
    for (int p = 0; p < kTileK; ++p) {
      float from_a[kRows], from_b[kCols];
      for (int i = 0; i < kRows; ++i)
        from_a[i] = tile_a[y + i][p];
      for (int j = 0; j < kCols; ++j)
        from_b[j] = tile_b[p][x + j];
      for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kCols; ++j)
          acc[i][j] += from_a[i] * from_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; ++j)
      if (row0 + y + i < m && col0 + x + j < n) c[(row0 + y + i) * n + col0 + x + j] = acc[i][j];
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_square_per_thread<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
