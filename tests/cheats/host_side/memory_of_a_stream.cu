// Memory that is allocated and freed in the order of a stream; one wait at the end.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void add_on_gpu(const float* a, const float* b, float* c, int n) {
  const size_t bytes = n * sizeof(float);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;
  cudaMallocAsync(&device_a, bytes, stream);
  cudaMallocAsync(&device_b, bytes, stream);
  cudaMallocAsync(&device_c, bytes, stream);
  cudaMemcpyAsync(device_a, a, bytes, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(device_b, b, bytes, cudaMemcpyHostToDevice, stream);
  add<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(device_a, device_b, device_c, n);
  cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(device_a, stream);
  cudaFreeAsync(device_b, stream);
  cudaFreeAsync(device_c, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
