// expect: WRONG
// Every block stores the elements of block 0.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = static_cast<float>(i);
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  store_global_index<<<blocks, kThreads, 0, stream>>>(out, n);
}
