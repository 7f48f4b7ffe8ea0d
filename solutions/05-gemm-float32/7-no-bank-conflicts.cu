// No bank conflicts.
//
// Rung 6 has bank conflicts. Count per wavefront (lab 02, rungs 5 and 6: 32 lanes for 4-byte
// accesses, 8 lanes for 16-byte accesses):
//
//     filling tile_a    lanes 0, 2, 4 .. have p = 0 and rows 0, 1, 2 ..: banks 0, 1, 2 ..
//                       lanes 1, 3, 5 .. have p = 4: 4 x 128 floats further, the same banks again.
//                       Two wavefronts.
//     reading tile_b    8 lanes read float4 that begin at 8 x: 0, 8, 16 .. 56. Two 32 floats apart
//                       share their banks: 0 and 32, 8 and 40 ..
//                       Two wavefronts, where 8 contiguous float4 take one.
//
// The kernel below is rung 6, complete. Two changes remove the conflicts: the length of a row of
// tile_a, and which eight columns belong to a thread.
//
//     ./ridge grade 05-gemm-float32/7-no-bank-conflicts
//
// Hypothesis: rung 6 is limited by wavefronts, half of which are bank conflicts.
// What changed from rung 6: a row of tile_a has 4 floats of padding, so that p = 4 begins 16 banks
// further. A thread's columns are two float4, half a tile apart, so that neighbouring lanes read
// neighbouring float4.
// What that bought: 68.3% instead of 61.9%.
// Measured on an H200: 68.3% of cublasSgemm (course/measured/nvidia-h200).
#include "copies.h"
#include "gemm_float32.h"

namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;  // of C, and the k-step
constexpr int kRows = 8, kCols = 8;                    // elements of C per thread
constexpr int kThreadsN = kTileN / kCols;              // 16 threads along a row of the tile
constexpr int kThreads = kTileM / kRows * kThreadsN;  // 256 per block; also the float4 of each tile

template <bool kAligned>  // n and k are multiples of 4
__global__ void __launch_bounds__(kThreads) multiply_without_conflicts(const float* a,  // [m][k]
                                                                       const float* b,  // [k][n]
                                                                       float* c,        // [m][n]
                                                                       int m, int n, int k) {
  __shared__ __align__(16) float tile_a[kTileK][kTileM + 4];  // [p][row], and 4 floats of padding
  __shared__ __align__(16) float tile_b[kTileK][kTileN];      // [p][col]
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  const int x = threadIdx.x % kThreadsN * 4, y = threadIdx.x / kThreadsN * kRows;
  const int row_a = threadIdx.x / (kTileK / 4),
            p_a = threadIdx.x % (kTileK / 4) * 4;  // its float4 of A
  const int p_b = threadIdx.x / (kTileN / 4), col_b = threadIdx.x % (kTileN / 4) * 4;  // and of B
  float acc[kRows][kCols] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    const float4 v = load_float4<kAligned>(a, m, k, row0 + row_a, k0 + p_a);
    tile_a[p_a + 0][row_a] = v.x;
    tile_a[p_a + 1][row_a] = v.y;
    tile_a[p_a + 2][row_a] = v.z;
    tile_a[p_a + 3][row_a] = v.w;
    *reinterpret_cast<float4*>(&tile_b[p_b][col_b]) =
        load_float4<kAligned>(b, k, n, k0 + p_b, col0 + col_b);
    __syncthreads();
    for (int p = 0; p < kTileK; ++p) {
      float from_a[kRows], from_b[kCols];
      for (int i = 0; i < kRows; i += 4)
        *reinterpret_cast<float4*>(from_a + i) =
            *reinterpret_cast<const float4*>(&tile_a[p][y + i]);
      for (int j = 0; j < kCols; j += 4)
        *reinterpret_cast<float4*>(from_b + j) =
            *reinterpret_cast<const float4*>(&tile_b[p][x + j * kThreadsN]);
      for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kCols; ++j)
          acc[i][j] += from_a[i] * from_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; j += 4)
      store_float4<kAligned>(c, m, n, row0 + y + i, col0 + x + j * kThreadsN,
                             make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]));
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  const auto kernel = n % 4 == 0 && k % 4 == 0 ? multiply_without_conflicts<true>
                                               : multiply_without_conflicts<false>;
  kernel<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
