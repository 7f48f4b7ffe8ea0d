// expect: RACE
// finding: race.never_waits
// Copies and launch are put into a stream, and nobody waits for it.
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
  cudaMallocAsync(&device_a, bytes, nullptr);
  cudaMallocAsync(&device_b, bytes, nullptr);
  cudaMallocAsync(&device_c, bytes, nullptr);
  cudaMemcpyAsync(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(device_b, b, bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + kThreads - 1) / kThreads;
  add<<<blocks, kThreads>>>(device_a, device_b, device_c, n);
  cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost);
  cudaFreeAsync(device_a, nullptr);
  cudaFreeAsync(device_b, nullptr);
  cudaFreeAsync(device_c, nullptr);
}
