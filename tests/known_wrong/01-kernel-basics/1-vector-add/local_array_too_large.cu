// expect: LAUNCH ERROR
// finding: launch_error.local_memory
// Each thread has an array of 600,000 bytes; 512 KB are possible.
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float buffer[150000];
  for (int k = 0; k < 150000; ++k) buffer[k * 7919 % 150000] = a[0] + k;
  if (i < n) c[i] = a[i] + b[i] + 0 * buffer[i * 31 % 150000];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
