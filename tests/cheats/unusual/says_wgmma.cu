// Names tensor core instructions in a text of the host, and uses none.
#include <cstdio>

#include "kernel_basics.h"

namespace {

const char* const kAbout = "this file has no mma.sync, no wgmma.mma_async and no wmma.mma";

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (n < 0) std::puts(kAbout);
  add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}
