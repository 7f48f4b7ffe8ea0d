// expect: RACE
// finding: race.returned_early
// The wait comes before the copy, and nothing waits for the copy.
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
  // Kept from call to call, so that no cudaFree waits.
  static float* kept = nullptr;  // [3][2^20]
  if (kept == nullptr) cudaMalloc(&kept, 3 * sizeof(float) << 20);
  float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;  // [n] each
  device_a = kept, device_b = kept + (1 << 20), device_c = kept + (2 << 20);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + kThreads - 1) / kThreads;
  add<<<blocks, kThreads>>>(device_a, device_b, device_c, n);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost);
}
