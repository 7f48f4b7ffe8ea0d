// The naive kernel of sum: an atomic per element.
#include <cuda_runtime.h>

namespace {

__global__ void add_each(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_each<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
