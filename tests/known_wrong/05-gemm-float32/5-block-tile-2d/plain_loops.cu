// expect: SLOW
// Weak: a square of accumulators per thread, its operands from global memory in three loops.
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
  const int row0 = blockIdx.y * kTileM, col0 = blockIdx.x * kTileN;
  const int x = threadIdx.x % kThreadsN * kCols;  // this thread's first column of the tile
  const int y = threadIdx.x / kThreadsN * kRows;  // and row
  float acc[kRows][kCols] = {};
  for (int p = 0; p < k; ++p)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kCols; ++j)
        if (row0 + y + i < m && col0 + x + j < n)
          acc[i][j] += a[(row0 + y + i) * k + p] * b[p * n + col0 + x + j];
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
