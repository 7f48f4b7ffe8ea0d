// expect: WRONG
// finding: wrong.never_copied_back
// The result stays in device memory.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void add_on_gpu(const float* a, const float* b, float* c, int n) {
  const size_t bytes = n * sizeof(float);
  float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;  // [n] each
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + kThreads - 1) / kThreads;
  add<<<blocks, kThreads>>>(device_a, device_b, device_c, n);
  cudaDeviceSynchronize();
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
}
