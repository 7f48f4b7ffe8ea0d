// The naive kernel of saxpy: a thread per element, the grid grows with n.
#include <cuda_runtime.h>

namespace {

__global__ void saxpy_each(float alpha, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + y[i];
}

}  // namespace

extern "C" void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream) {
  saxpy_each<<<(n + 255) / 256, 256, 0, stream>>>(alpha, x, y, n);
}
