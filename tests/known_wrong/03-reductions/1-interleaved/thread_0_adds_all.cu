// expect: SLOW
// Right: thread 0 adds the 256 elements of its block, one after the other.
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_interleaved(const float* in, float* out, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (t == 0)
    for (int other = 1; other < kThreads; ++other)
      partial[0] += partial[other];
  if (t == 0) atomicAdd(out, partial[0]);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float),
                  stream);  // four zero bytes are 0.0f, to which the blocks add
  sum_interleaved<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}
