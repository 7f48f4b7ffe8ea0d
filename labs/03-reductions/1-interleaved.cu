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
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_interleaved(const float* in, float* block_sums, int n) {
  // TODO (about 4 lines): declare `__shared__ float partial[kThreads]`; store element blockIdx.x *
  // kThreads + threadIdx.x of `in` in this thread's place, 0 if there is none; wait for all threads
  // of the block.

  // TODO (about 4 lines): the tree drawn above, stride 1, 2, 4, ... 128, with a barrier after every
  // step.

  // TODO (1 line): thread 0 stores the block's sum in block_sums[blockIdx.x]. Until you do,
  // the second kernel adds what was never written.
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
