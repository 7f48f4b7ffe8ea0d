// expect: SLOW
// finding: slow.gate
// A block per element: 255 of its 256 threads have no element.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<float>(i);
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  const int blocks = n;
  store_global_index<<<blocks, kThreads, 0, stream>>>(out, n);
}
