// The naive kernel of gemm: a thread per element of C, its whole sum from global memory.
#include <cuda_runtime.h>

namespace {

__global__ void multiply_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p)
    sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

}  // namespace

extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 block(16, 16), grid((m + 15) / 16, (n + 15) / 16);
  multiply_naive<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
