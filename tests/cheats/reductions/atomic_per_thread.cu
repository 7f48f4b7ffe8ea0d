// Few threads that add up 256 elements each and then one atomic each: as few atomics as with a tree, no tree.
#include "reductions.h"

namespace {

__global__ void add_strided(const float* in, float* out, int n) {
  float value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  atomicAdd(out, value);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_strided<<<(n + 65535) / 65536 * 8, 32, 0, stream>>>(in, out, n);
}
