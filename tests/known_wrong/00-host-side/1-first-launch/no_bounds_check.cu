// expect: OUT OF BOUNDS
// Threads without an element store past the end.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;  // per block

__global__ void store_global_index(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(i);
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;  // rounded up
  store_global_index<<<blocks, kThreads, 0, stream>>>(out, n);
}
