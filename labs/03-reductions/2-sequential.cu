// The same tree, with the working threads contiguous.
//
// In rung 1 every second thread works, then every fourth, every eighth. A warp issues an
// instruction for all of its 32 lanes or for none, so for five steps all 8 warps of the block
// execute the addition, with 16, 8, 4, 2 and 1 active lanes:
//
//     interleaved  stride 1    lanes  x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.    8 warps, half active
//     sequential   stride 128  lanes  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx    4 warps issue, 4 skip
//
// Any pairing adds the same elements. Add element t + stride to element t, the largest stride
// first: then the working threads are 0 .. stride - 1, which are whole warps, and the other warps
// skip the addition without divergence. Neighbouring lanes also access neighbouring words of shared
// memory: no bank conflicts.
//
//     ./ridge grade 03-reductions/2-sequential
#include "reductions.h"

namespace {

constexpr int kThreads = 256;  // per block; also the elements that a block adds up

__global__ void sum_sequential(const float* in, float* out, int n) {
  __shared__ float partial[kThreads];  // [thread]
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  // TODO (about 2 lines): this is the tree of rung 1. Change which threads work, so that in every
  // step the working threads are 0, 1, 2, ... without a gap and access neighbouring words.
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, partial[0]);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  sum_sequential<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(in, out, n);
}
