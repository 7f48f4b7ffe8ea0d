// expect: WRONG
// says: The first 256 elements repeat
// Reads the first block's elements in every block.
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[threadIdx.x] + b[threadIdx.x];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
