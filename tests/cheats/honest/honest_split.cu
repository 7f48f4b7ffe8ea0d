// One float4 per thread.
#include "coalescing.h"

namespace {
__global__ void split(const float4* particles, float* fields, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 one = particles[i];
  fields[i] = one.x;
  fields[n + i] = one.y;
  fields[2 * n + i] = one.z;
  fields[3 * n + i] = one.w;
}
}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  split<<<(n + 255) / 256, 256, 0, stream>>>(reinterpret_cast<const float4*>(particles), fields, n);
}
