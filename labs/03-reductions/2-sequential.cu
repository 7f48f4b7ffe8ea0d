// The same tree, with the working threads contiguous, so that whole warps finish.
//
// In rung 1 every second thread works, then every fourth, every eighth. A warp issues an
// instruction for all of its 32 lanes or for none, so for five steps all 8 warps of the block
// execute the addition, with 16, 8, 4, 2 and 1 active lanes:
//
//     interleaved  stride 1    lanes  x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.    8 warps, half active
//     sequential   stride 128  lanes  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx    4 warps issue, 4 skip
//
// Any pairing adds the same elements. Add element t + stride to element t, the largest stride
// first: then the working threads are 0 .. stride - 1, which are whole warps. Neighbouring lanes
// also access neighbouring words of shared memory: no bank conflicts.
//
// After the step of stride 32 the first warp alone has work left, so the other seven can end, and
// no step needs the block's barrier any more. The lanes of a warp do not run in lockstep, though:
// __syncwarp() makes them wait for each other only.
//
//     ./ridge grade 03-reductions/2-sequential
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_sequential(const float* in, float* block_sums, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  // TODO (about 9 lines): this is the tree of rung 1. Change which threads work, so that in every
  // step the working threads are 0, 1, 2, ... without a gap and access neighbouring words. When
  // only the first warp has work left, let the others return, and use __syncwarp() in the steps
  // that remain.
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
  sum_sequential<<<blocks, kThreads, 0, stream>>>(in, block_sums, n);
  add_block_sums(block_sums, blocks, out, stream);
  cudaFreeAsync(block_sums, stream);
}
