// expect: OUT OF BOUNDS
// The guard is <= n: one element past the end is accessed.
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
