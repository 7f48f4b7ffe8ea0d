// expect: WRONG
// Three fields of four: mass is never written.
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void split_whole_structs(const float* particles,  // [n][4]: x y z mass
                                    float* fields,           // [4][n]
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 particle = reinterpret_cast<const float4*>(particles)[i];
  fields[0 * n + i] = particle.x;
  fields[1 * n + i] = particle.y;
  fields[2 * n + i] = particle.z;
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  split_whole_structs<<<blocks, kThreads, 0, stream>>>(particles, fields, n);
}
