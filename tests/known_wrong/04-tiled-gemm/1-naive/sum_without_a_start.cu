// expect: UNINITIALISED
// finding: uninitialised.variable
// The sum has no first value.
#include "tiled_gemm.h"

namespace {

constexpr int kBlock = 16;  // a block computes 16 x 16 elements of C

__global__ void multiply_row_along_x(const float* a,  // [m][k]
                                     const float* b,  // [k][n]
                                     float* c,        // [m][n]
                                     int m, int n, int k) {
  const int row = blockIdx.x * kBlock + threadIdx.x, col = blockIdx.y * kBlock + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum;
  for (int p = 0; p < k; ++p)
    sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kBlock, kBlock);
  const dim3 grid((m + kBlock - 1) / kBlock, (n + kBlock - 1) / kBlock);
  multiply_row_along_x<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
