// The first launch: every element of an array gets its own index.
//
// Hypothesis: a thread needs nothing but its own index to know its work.
// What changed: this is the first kernel. The blocks before a thread's own have blockIdx.x *
// blockDim.x threads; its place in its own block is added. The number of blocks is rounded up, so
// that there are threads for the last elements, too, and a comparison stops those beyond.
// What that bought: one thread per element, for every n.
//
//     ./ridge grade 00-host-side/1-first-launch --solution
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<float>(i);
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  store_global_index<<<blocks, kThreads, 0, stream>>>(out, n);
}
