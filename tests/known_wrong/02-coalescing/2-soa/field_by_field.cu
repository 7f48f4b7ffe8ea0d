// expect: SLOW
// Right, but each of four loads touches 16 sectors for the 128 bytes it uses.
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void split_whole_structs(const float* particles,  // [n][4]: x y z mass
                                    float* fields,           // [4][n]
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int f = 0; f < 4; ++f)
    fields[f * n + i] = particles[4 * i + f];
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  split_whole_structs<<<blocks, kThreads, 0, stream>>>(particles, fields, n);
}
