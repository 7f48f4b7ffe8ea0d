// A sum, as a tree over the threads of a block.
//
// A sum combines every element into one result. One atomicAdd per element is correct, but all of
// them are serialised at the same four bytes: about 2 ns each. Here a block of 256 threads adds its
// 256 elements in shared memory and stores the block's sum at a place of its own. A small second
// kernel, add_block_sums() of block_sums.h, adds up what the blocks stored. Neighbouring pairs are
// added first, then pairs of pairs, in 8 steps:
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
// Hypothesis: one atomic per element is limited by a single address. A tree per block and a place
// per block leave no address that all blocks update.
// What changed from an atomic per element: no atomics in the large kernel, 8 steps with a barrier
// each per block, and a second kernel for 1/256 of the work.
// What that bought: 1.18 ms for 2^28 elements; one atomic per block to one address takes 1.92 ms.
// Measured on an H200: 21.0% of CUB (course/measured/nvidia-h200).
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_interleaved(const float* in, float* block_sums, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) block_sums[blockIdx.x] = partial[0];
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  float* block_sums = nullptr;  // [blocks]
  cudaMallocAsync(&block_sums, blocks * sizeof(float), stream);
  sum_interleaved<<<blocks, kThreads, 0, stream>>>(in, block_sums, n);
  add_block_sums(block_sums, blocks, out, stream);
  cudaFreeAsync(block_sums, stream);
}
