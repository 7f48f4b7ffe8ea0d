// Rung 3 of 8: first add while loading, then let registers meet without shared memory.
//
// Rung 2 has two kinds of idling left. Half of its threads load one element, store it to shared memory and
// never do anything again. And its last five steps are a single warp that goes through shared memory and a
// barrier of the whole block each time, although the 32 lanes of a warp run together anyway.
//
//   - First add: a thread loads two elements, kThreads apart (unit stride both times), and adds them at once.
//     Half as many blocks, and no thread without an addition.
//   - Warp shuffle: __shfl_down_sync(mask, value, d) hands each lane the `value` register of the lane d above
//     it. Five of them add up a warp, with no memory and no barrier:
//
//         d = 16:  lane 0 += lane 16, lane 1 += lane 17, ...     d = 8, 4, 2, 1:  lane 0 holds the sum of 32
//
// Shared memory is left with what it is for: one float a warp, to get from 8 warps to one.
//
//     ./ridge grade 03-reductions/3-warp-shuffle
#include "reductions.h"

namespace {

constexpr int kThreads = 256;           // a block; it adds up twice as many elements
constexpr int kWarps = kThreads / 32;   // 8
constexpr unsigned kAll = 0xffffffffu;  // all 32 lanes take part

// The sum of `value` over the 32 lanes; lane 0 has it.
__device__ float warp_sum(float value) {
  // TODO (about 2 lines): five shuffles.
  return value;
}

// The sum of `value` over the block; thread 0 has it.
__device__ float block_sum(float value) {
  __shared__ float of_warps[kWarps];  // [warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  // TODO (about 4 lines): lane 0 of each warp puts the warp's sum into of_warps; the block meets once; the
  // first warp adds up the kWarps sums with warp_sum. Its lanes from kWarps on have nothing to add: 0.
  return value;
}

__global__ void sum_warp_shuffle(const float* in, float* out, int n) {
  const int i = blockIdx.x * 2 * kThreads + threadIdx.x;
  const float first = i < n ? in[i] : 0.0f;
  // TODO (about 2 lines): a block takes 2 * kThreads elements, a thread two of them. This is the first.
  const float total = block_sum(first);
  if (threadIdx.x == 0) atomicAdd(out, total);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  sum_warp_shuffle<<<(n + 2 * kThreads - 1) / (2 * kThreads), kThreads, 0, stream>>>(in, out, n);
}
