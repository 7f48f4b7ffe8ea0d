// expect: WRONG
// The accumulators are of rows y .. y + 7, and stored to rows that are 8 apart.
#include "gemm_float32.h"

namespace {

constexpr int kTileM = 64, kTileN = 64, kTileK = 8;  // of C, and the k-step
constexpr int kRows = 8;                             // elements of C per thread, in one column
constexpr int kThreads = kTileM / kRows * kTileN;    // 512 per block

__global__ void __launch_bounds__(kThreads) multiply_column_per_thread(const float* a,  // [m][k]
                                                                       const float* b,  // [k][n]
                                                                       float* c,        // [m][n]
                                                                       int m, int n, int k) {
  __shared__ float tile_a[kTileM][kTileK];  // [row][p]
  __shared__ float tile_b[kTileK][kTileN];  // [p][col]
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  const int x = threadIdx.x % kTileN;          // this thread's column of the tile
  const int y = threadIdx.x / kTileN * kRows;  // its first row
  const int row_a = threadIdx.x / kTileK, p_a = threadIdx.x % kTileK;  // what it loads of A
  const int p_b = threadIdx.x / kTileN;                                // and of B: column x
  float acc[kRows] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    const bool has_a = row0 + row_a < m && k0 + p_a < k, has_b = k0 + p_b < k && col0 + x < n;
    tile_a[row_a][p_a] = has_a ? a[(row0 + row_a) * k + k0 + p_a] : 0.0f;
    tile_b[p_b][x] = has_b ? b[(k0 + p_b) * n + col0 + x] : 0.0f;
    __syncthreads();
    for (int p = 0; p < kTileK; ++p) {
      const float from_b = tile_b[p][x];
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        acc[i] += tile_a[y + i][p] * from_b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    if (row0 + y / kRows + i * kRows < m && col0 + x < n)
      c[(row0 + y / kRows + i * kRows) * n + col0 + x] = acc[i];
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 grid((n + kTileN - 1) / kTileN, (m + kTileM - 1) / kTileM);
  multiply_column_per_thread<<<grid, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
