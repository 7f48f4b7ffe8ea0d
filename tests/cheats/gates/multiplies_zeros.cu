// The naive product with as many k-steps again, all of which multiply zeros.
#include "gemm_float32.h"

namespace {

__global__ void multiply_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < 2 * k; ++p)
    sum = fmaf(a[row * k + p % k], p < k ? b[p * n + col] : 0.0f, sum);
  c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  multiply_naive<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8), 0, stream>>>(a, b, c, m, n, k);
}
