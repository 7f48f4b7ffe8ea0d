// expect: SLOW
// finding: slow.gate
// One block goes over the array: right, and one thread per element is not there.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = static_cast<float>(i);
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  const int blocks = 1;
  store_global_index<<<blocks, kThreads, 0, stream>>>(out, n);
}
