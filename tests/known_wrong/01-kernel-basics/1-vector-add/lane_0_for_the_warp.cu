// expect: WRONG
// says: of the first of its group of 32 (a warp)
// All lanes of a warp compute lane 0's element.
#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void add_one_element_per_thread(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i / 32 * 32] + b[i / 32 * 32];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  add_one_element_per_thread<<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}
