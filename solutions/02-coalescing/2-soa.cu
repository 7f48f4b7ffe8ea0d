// Rung 2 of 6: an array of structs to a struct of arrays.
//
// Particles come as x y z mass, x y z mass, ... The natural way to take them apart reads one field after the
// other, as below. Neighbouring threads then read floats that lie 16 bytes apart: a warp's 32 x's are spread
// over 512 bytes, 16 sectors, of which it uses a quarter; y, z and mass ask for the same 16 sectors again.
//
// A particle is exactly one float4: 16 bytes that one lane can take in one instruction.
//
//     ./ridge grade 02-coalescing/2-soa
//
// What changed: one load of 16 sectors instead of four of 16, and all 512 bytes of it are used. The stores
// were unit stride all along: the fields are arrays of their own, and that is why a struct of arrays is the
// layout to keep.
// Measured on an H200: 97.5% of the device copy (course/measured/nvidia-h200).
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;  // a block

__global__ void split_whole_structs(const float* particles,  // [n][4]: x y z mass
                                    float* fields,           // [4][n]
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 particle = reinterpret_cast<const float4*>(particles)[i];
  fields[0 * n + i] = particle.x;
  fields[1 * n + i] = particle.y;
  fields[2 * n + i] = particle.z;
  fields[3 * n + i] = particle.w;
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  split_whole_structs<<<blocks, kThreads, 0, stream>>>(particles, fields, n);
}
