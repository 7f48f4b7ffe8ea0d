// Rounds to the 10 bits of TF32.
#include "add.cuh"

namespace {
__global__ void add_tf32(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __uint_as_float(__float_as_uint(a[i] + b[i]) & 0xffffe000u);
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add_tf32<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
