// Add while loading, then combine registers without shared memory.
//
// Rung 2 wastes two kinds of time. Half of its threads load one element, store it to shared memory
// and never add. And every step of its tree stores to shared memory, waits, and loads again,
// although the 32 lanes of a warp can exchange registers directly.
//
//   - First add: a thread loads two elements, kThreads apart (unit stride both times), and adds
//     them at once. The grid has half as many blocks, and every thread adds.
//   - Warp shuffle: __shfl_down_sync(mask, value, d) gives each lane the `value` register of the
//     lane d above it. Five shuffles add up a warp, without memory and without a barrier:
//
//         d = 16:          lane 0 += lane 16, lane 1 += lane 17, ...
//         d = 8, 4, 2, 1:  after the last one lane 0 holds the sum of 32
//
// Shared memory holds one float per warp, to combine 8 warps into one.
//
//     ./ridge grade 03-reductions/3-warp-shuffle
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;           // per block; a block adds up twice as many elements
constexpr int kWarps = kThreads / 32;   // 8
constexpr unsigned kAll = 0xffffffffu;  // all 32 lanes take part

// The sum of `value` over the 32 lanes; the result is in lane 0.
__device__ float warp_sum(float value) {
  // TODO (about 2 lines): five shuffles.
  return value;
}

// The sum of `value` over the block; the result is in thread 0.
__device__ float block_sum(float value) {
  __shared__ float of_warps[kWarps];  // [warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  // TODO (about 4 lines): lane 0 of each warp stores the warp's sum in of_warps; one barrier; the
  // first warp adds up the kWarps sums with warp_sum. Its lanes from kWarps on add 0.
  return value;
}

__global__ void sum_warp_shuffle(const float* in, float* block_sums, int n) {
  const int i = blockIdx.x * 2 * kThreads + threadIdx.x;
  const float first = i < n ? in[i] : 0.0f;
  // TODO (about 2 lines): a block adds 2 * kThreads elements, a thread two of them. This is the
  // first.
  const float total = block_sum(first);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = total;
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
  float* block_sums = nullptr;  // [blocks]
  cudaMallocAsync(&block_sums, blocks * sizeof(float), stream);
  sum_warp_shuffle<<<blocks, kThreads, 0, stream>>>(in, block_sums, n);
  add_block_sums(block_sums, blocks, out, stream);
  cudaFreeAsync(block_sums, stream);
}
