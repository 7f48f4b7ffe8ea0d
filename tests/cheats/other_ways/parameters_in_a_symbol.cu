// The parameters are copied to a variable of the device, and the kernel has none.
#include "kernel_basics.h"
struct P {
  const float *a, *b;
  float* c;
  int n;
};
__device__ P given;
__global__ void add() {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < given.n) given.c[i] = given.a[i] + given.b[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {
  static P p;
  p = P{a, b, c, n};
  cudaMemcpyToSymbolAsync(given, &p, sizeof p, 0, cudaMemcpyHostToDevice, s);
  add<<<(n + 255) / 256, 256, 0, s>>>();
}
