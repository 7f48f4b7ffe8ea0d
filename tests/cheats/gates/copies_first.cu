// Lets the copy engine bring the input to memory of its own first.
#include "coalescing.h"

namespace {

__global__ void scale_in_place(float factor, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= factor;
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  cudaMemcpyAsync(out, in, static_cast<size_t>(n) * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  scale_in_place<<<(n + 255) / 256, 256, 0, stream>>>(factor, out, n);
}
