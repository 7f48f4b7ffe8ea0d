// expect: SLOW
// Right, but a thread computes a whole row of C: m threads, and most of the GPU is idle.
#include "tiled_gemm.h"

namespace {

constexpr int kBlock = 16;  // a block computes 16 x 16 elements of C

__global__ void multiply_row_along_x(const float* a,  // [m][k]
                                     const float* b,  // [k][n]
                                     float* c,        // [m][n]
                                     int m, int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  for (int col = 0; col < n; ++col) {
    float sum = 0;
    for (int p = 0; p < k; ++p)
      sum += a[row * k + p] * b[p * n + col];
    c[row * n + col] = sum;
  }
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t stream) {
  const dim3 block(kBlock * kBlock);
  const dim3 grid((m + kBlock * kBlock - 1) / (kBlock * kBlock));
  multiply_row_along_x<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
