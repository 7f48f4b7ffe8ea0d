// scale with unit stride, and every product computed twelve times.
#include <cuda_runtime.h>

namespace {

__global__ void scale_again(const float* in, float factor, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile float value = in[i];
  for (int turn = 0; turn < 12; ++turn)
    value = value * 1.0f;
  out[i] = value * factor;
}

}  // namespace

extern "C" void scale(const float* in, float factor, float* out, int n, cudaStream_t stream) {
  scale_again<<<(n + 255) / 256, 256, 0, stream>>>(in, factor, out, n);
}
