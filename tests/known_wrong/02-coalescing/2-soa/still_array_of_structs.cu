// expect: WRONG
// The struct is written back whole: a copy, not a struct of arrays.
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void split_whole_structs(const float* particles,  // [n][4]: x y z mass
                                    float* fields,           // [4][n]
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reinterpret_cast<float4*>(fields)[i] = reinterpret_cast<const float4*>(particles)[i];
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  split_whole_structs<<<blocks, kThreads, 0, stream>>>(particles, fields, n);
}
