// expect: SLOW
// Right, but one block strides over everything: one SM works and 131 are idle.
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = i; k < n; k += kThreads)
    c[k] = a[k] + b[k];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = 1;
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
