// Writes beyond the end and puts the guard band's bytes back.
#include "add.cuh"

namespace {
__global__ void add_and_scribble(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  if (i == 0) c[n] = 1;
  if (i == 0) c[n] = __uint_as_float(0xfcfcfcfcu);
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add_and_scribble<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
