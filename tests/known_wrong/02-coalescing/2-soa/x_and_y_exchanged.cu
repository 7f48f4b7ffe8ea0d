// expect: WRONG
// says: for the place in the row after it: the row is off by 1
// Fields 0 and 1 both get y.
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void split_whole_structs(const float* particles,  // [n][4]: x y z mass
                                    float* fields,           // [4][n]
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 particle = reinterpret_cast<const float4*>(particles)[i];
  fields[0 * n + i] = particle.y;
  fields[1 * n + i] = particle.y;
  fields[2 * n + i] = particle.z;
  fields[3 * n + i] = particle.w;
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  split_whole_structs<<<blocks, kThreads, 0, stream>>>(particles, fields, n);
}
