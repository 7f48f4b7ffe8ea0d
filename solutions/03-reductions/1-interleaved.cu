// A sum, as a tree over the threads of a block.
//
// A sum combines every element into one result. One atomicAdd per element is correct, but all of
// them are serialised at the same four bytes. Here a block of 256 threads first adds its 256
// elements in shared memory, and only the block's sum goes to `out`: one atomic per 256 elements.
// Neighbouring pairs are added first, then pairs of pairs, in 8 steps:
//
//     stride 1    0+1  .   2+3  .   4+5  .   6+7  .      threads 0 2 4 6 work
//     stride 2    0..3 .   .    .   4..7 .   .    .      threads 0 4
//     stride 4    0..7 .   .    .   .    .   .    .      thread 0
//
// All threads of the block wait between two steps: each thread reads what another one has just
// written.
//
//     ./ridge grade 03-reductions/1-interleaved
//
// Hypothesis: one atomic per element is limited by a single address; a tree per block divides the
// number of atomics by 256.
// What changed from an atomic per element: 256 times fewer atomics, and 8 barriers per block.
// What that bought: 4,096 updates of one address per million elements. The tree is now most of the
// work: rungs 2 to 4 reduce it.
// Measured on an H200: 12.2% of CUB (course/measured/nvidia-h200).
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
  cudaMemsetAsync(out, 0, sizeof(float),
                  stream);  // four zero bytes are 0.0f, to which the blocks add
  sum_interleaved<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}
