// A thread for each element is launched, and those of the first block store all of them.
#include "host_side.h"

namespace {

constexpr int kThreads = 256;

__global__ void number(float* out, int n) {
  if (blockIdx.x > 0) return;
  for (int i = threadIdx.x; i < n; i += kThreads)
    out[i] = i;
}

}  // namespace

extern "C" void global_index(float* out, int n, cudaStream_t stream) {
  number<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(out, n);
}
