// Convert an array of structs to a struct of arrays.
//
// Particles are stored as x y z mass, x y z mass, ... The obvious kernel reads one field after the
// other, as below. Neighbouring threads then read floats that are 16 bytes apart: the 32 x values
// of a warp are spread over 512 bytes, 16 sectors, of which a quarter is used. y, z and mass
// request the same 16 sectors again.
//
// A particle is exactly one float4: 16 bytes that one lane can load in one instruction.
//
//     ./ridge grade 02-coalescing/2-soa
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void split_whole_structs(const float* particles,  // [n][4]: x y z mass
                                    float* fields,           // [4][n]
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // TODO (about 5 lines): read particle i in one load of 16 bytes, then write its four fields.
  for (int f = 0; f < 4; ++f)
    fields[f * n + i] = particles[4 * i + f];
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  split_whole_structs<<<blocks, kThreads, 0, stream>>>(particles, fields, n);
}
