// expect: WRONG
// The result is stored at the transposed place (kept in bounds).
#include "tiled_gemm.h"

namespace {

constexpr int kBlock = 32;  // a block computes 32 x 32 elements of C, a warp 32 columns of one row

__global__ void multiply_col_along_x(const float* a,  // [m][k]
                                     const float* b,  // [k][n]
                                     float* c,        // [m][n]
                                     int m, int n, int k) {
  const int row = blockIdx.y * kBlock + threadIdx.y, col = blockIdx.x * kBlock + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p)
    sum += a[row * k + p] * b[p * n + col];
  c[(col * m + row) % (m * n)] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kBlock, kBlock);
  const dim3 grid((n + kBlock - 1) / kBlock, (m + kBlock - 1) / kBlock);
  multiply_col_along_x<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
