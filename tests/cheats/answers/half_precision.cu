// Adds in float16, at half the arithmetic.
#include <cuda_fp16.h>

#include "add.cuh"

namespace {
__global__ void add_half(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __half2float(__hadd(__float2half(a[i]), __float2half(b[i])));
}
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add_half<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
}
