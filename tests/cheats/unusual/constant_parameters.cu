// Copies a small struct of parameters into constant memory before each launch.
#include "kernel_basics.h"

namespace {

struct Parameters {
  const float* a;
  const float* b;
  float* c;
  int n;
};
__constant__ Parameters parameters;

__global__ void add_described() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < parameters.n) parameters.c[i] = parameters.a[i] + parameters.b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const Parameters mine{a, b, c, n};
  cudaMemcpyToSymbolAsync(parameters, &mine, sizeof mine, 0, cudaMemcpyHostToDevice, stream);
  add_described<<<(n + 255) / 256, 256, 0, stream>>>();
}
