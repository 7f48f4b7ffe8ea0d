// Keeps its parameters in __managed__ memory, which the host writes and the kernel reads.
#include "kernel_basics.h"

namespace {

struct Parameters {
  const float* a;
  const float* b;
  float* c;
  int n;
};
__managed__ Parameters parameters;

__global__ void add_described() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < parameters.n) parameters.c[i] = parameters.a[i] + parameters.b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  cudaStreamSynchronize(stream);  // nobody reads the last ones any more
  parameters = {a, b, c, n};
  add_described<<<(n + 255) / 256, 256, 0, stream>>>();
}
