// Four times the blocks that there is work for.
#include "kernel_basics.h"

namespace {

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add<<<4 * ((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);
}
