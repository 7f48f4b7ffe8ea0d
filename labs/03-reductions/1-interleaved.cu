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
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_interleaved(const float* in, float* out, int n) {
  // TODO (about 4 lines): declare `__shared__ float partial[kThreads]`; store element blockIdx.x *
  // kThreads + threadIdx.x of `in` in this thread's place, 0 if there is none; wait for all threads
  // of the block.

  // TODO (about 4 lines): the tree drawn above, stride 1, 2, 4, ... 128, with a barrier after every
  // step.

  // TODO (1 line): thread 0 adds the block's sum to *out with atomicAdd. Until you do, the sum is
  // 0.
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float),
                  stream);  // four zero bytes are 0.0f, to which the blocks add
  sum_interleaved<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}
