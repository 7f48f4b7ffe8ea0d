// Few blocks with a grid-stride loop, 16 bytes per load, several loads in flight.
//
// In rung 3 a thread requests 8 bytes, and the tree that follows is longer than the work: a
// barrier, ten shuffles and a store for two elements. Meanwhile the thread has nothing in flight.
// Give a thread many elements, and let it take part in one tree, at the end:
//
//   - the grid strides over tiles of 4096 floats. In each tile a thread issues kInFlight float4
//     loads before it adds the first: 64 bytes in flight, times 2048 threads per SM = 128 KB,
//     several times what Little's law requires (chapter 00), because a thread that is adding has
//     none in flight;
//   - the number of blocks is what the SMs hold at one time, so that none starts late. More blocks
//     would be more trees.
//
// The end is cheap, too. Each block writes its sum to `of_blocks`; the last block to do so,
// determined with a counter, adds them up. There is no second launch, and `out` need not be cleared
// first.
//
//     ./ridge grade 03-reductions/4-float4-grid-stride
#include <algorithm>

#include "reductions.h"

namespace {

constexpr int kThreads = 256;                    // per block
constexpr int kInFlight = 4;                     // float4 loads that a thread issues before it adds
constexpr int kTile = kThreads * kInFlight * 4;  // 4096 floats
constexpr int kBlocksPerSm = 8;                  // 2048 threads: all that an SM holds
constexpr int kMostBlocks = 8192;

__device__ float of_blocks[kMostBlocks];  // [block]
__device__ unsigned blocks_done = 0;

__device__ float warp_sum(float value) {  // the result is in lane 0
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_down_sync(0xffffffffu, value, d);
  return value;
}

__device__ float block_sum(float value) {    // the result is in thread 0
  __shared__ float of_warps[kThreads / 32];  // [warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  __syncthreads();  // other warps may still read of_warps of the previous call
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  return warp == 0 ? warp_sum(lane < kThreads / 32 ? of_warps[lane] : 0.0f) : 0.0f;
}

// This thread's part of the array: of every gridDim.x-th tile, and of the elements after the last
// full tile.
__device__ float thread_sum(const float* in, int n) {
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  // TODO (about 10 lines): first the full tiles: of every gridDim.x-th tile, from number blockIdx.x
  // on, load this thread's kInFlight float4, all of them before you add the first. Float4 number k
  // * kThreads + threadIdx.x of the tile is this thread's, for k = 0 .. kInFlight - 1. The loop
  // below then handles the elements after the last full tile.
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    sum.x += in[i];
  return (sum.x + sum.y) + (sum.z + sum.w);
}

__global__ void __launch_bounds__(kThreads, 8)
    sum_float4_grid_stride(const float* in, float* out, int n) {
  __shared__ bool last;
  const float total = block_sum(thread_sum(in, n));
  if (threadIdx.x == 0) {
    of_blocks[blockIdx.x] = total;
    __threadfence();  // the sum must be visible before the count
    last =
        atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // the last block resets it to 0
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  float sum = 0.0f;
  for (int b = threadIdx.x; b < gridDim.x; b += kThreads)
    sum += of_blocks[b];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *out = sum;
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int blocks = std::min({(n + kTile - 1) / kTile, kBlocksPerSm * sms, kMostBlocks});
  sum_float4_grid_stride<<<blocks, kThreads, 0, stream>>>(in, out, n);
}
