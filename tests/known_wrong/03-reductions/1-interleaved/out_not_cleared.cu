// expect: WRONG
// finding: wrong.not_cleared
// The blocks add to whatever `out` held before.
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_interleaved(const float* in, float* out, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, partial[0]);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  sum_interleaved<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}
