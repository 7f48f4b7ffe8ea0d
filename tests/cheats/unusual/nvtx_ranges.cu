// Marks its launch for a profiler with NVTX, whose headers find no library to load here.
#include <nvtx3/nvtx3.hpp>

#include "kernel_basics.h"

namespace {

__global__ void add_marked(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const nvtx3::scoped_range range("vector_add");
  add_marked<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}
