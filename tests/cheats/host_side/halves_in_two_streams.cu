// The two halves in streams of their own, which do not wait for the default stream: copies, kernel
// and copy back overlap.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void add_on_gpu(const float* a, const float* b, float* c, int n) {
  float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;
  cudaMalloc(&device_a, n * sizeof(float));
  cudaMalloc(&device_b, n * sizeof(float));
  cudaMalloc(&device_c, n * sizeof(float));
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const int half = n / 2;
  for (int part = 0; part < 2; ++part) {
    const int first = part * half, count = part == 0 ? half : n - half;
    if (count == 0) continue;
    const size_t bytes = count * sizeof(float);
    cudaMemcpyAsync(device_a + first, a + first, bytes, cudaMemcpyHostToDevice, streams[part]);
    cudaMemcpyAsync(device_b + first, b + first, bytes, cudaMemcpyHostToDevice, streams[part]);
    add<<<(count + kThreads - 1) / kThreads, kThreads, 0, streams[part]>>>(
        device_a + first, device_b + first, device_c + first, count);
    cudaMemcpyAsync(c + first, device_c + first, bytes, cudaMemcpyDeviceToHost, streams[part]);
  }
  for (cudaStream_t stream : streams) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
}
