// The whole sum in one block: one tree, one atomic, and 131 SMs without work.
#include "reductions.h"

namespace {

constexpr int kThreads = 1024;

__global__ void add_all(const float* in, float* out, int n) {
  __shared__ float partial[kThreads];
  float value = 0;
  for (int i = threadIdx.x; i < n; i += kThreads)
    value += in[i];
  partial[threadIdx.x] = value;
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) *out = partial[0];
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  add_all<<<1, kThreads, 0, stream>>>(in, out, n);
}
