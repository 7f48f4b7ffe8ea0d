// The unit-stride kernel.
#include "coalescing.h"

namespace {
__global__ void scale_in_order(const float* in, float factor, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] * factor;
}
}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  scale_in_order<<<2112, 256, 0, stream>>>(in, factor, out, n);
}
