// A whole program: allocate, copy, launch, copy back, free.
//
// Hypothesis: the stream's order is enough: no call has to wait for the kernel but the last copy.
// What changed: the arrays are in host memory, so each is copied once to or from an array of the
// same size in device memory. cudaMemcpy waits for the work before it, and returns when the bytes
// are there.
// What that bought: a result on the host that is complete when the function returns, and no memory
// that outlives the call.
//
//     ./ridge grade 00-host-side/2-copy-and-launch --solution
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
  cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost);  // waits for the kernel
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
}
