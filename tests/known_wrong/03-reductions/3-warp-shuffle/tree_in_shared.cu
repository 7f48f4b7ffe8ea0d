// expect: SLOW
// says: shared_requests_per_1000_elements is
// Rung 2 again: every step of the tree goes through shared memory.
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_sequential(const float* in, float* out, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, partial[0]);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  sum_sequential<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}
