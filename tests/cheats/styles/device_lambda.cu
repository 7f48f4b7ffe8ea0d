// A kernel template that takes a lambda of the device, and std::min in the kernel.
#include <algorithm>

#include "kernel_basics.h"

namespace {

template <typename F>
__global__ void for_each_index(int n, F f) {
  const int first = 256 * blockIdx.x;
  const int i = first + threadIdx.x, end = std::min(n, first + 256);
  if (i < end) f(i);
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const auto add = [=] __device__(int i) { c[i] = a[i] + b[i]; };
  for_each_index<<<(n + 255) / 256, 256, 0, stream>>>(n, add);
}
