// Sets the whole output before the kernel does.
#include "coalescing.h"

namespace {

__global__ void scale_each(const float* in, float factor, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, static_cast<size_t>(n) * sizeof(float), stream);
  scale_each<<<(n + 255) / 256, 256, 0, stream>>>(in, factor, out, n);
}
