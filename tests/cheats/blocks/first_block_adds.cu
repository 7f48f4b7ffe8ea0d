// The grid covers n, and the first block does all additions.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;

__global__ void add(const float* a, const float* b, float* c, int n) {
  if (blockIdx.x > 0) return;
  for (int i = threadIdx.x; i < n; i += kThreads)
    c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void add_on_gpu(const float* a, const float* b, float* c, int n) {
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMalloc(&z, bytes);
  cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  add<<<(n + kThreads - 1) / kThreads, kThreads>>>(x, y, z, n);
  cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
}
