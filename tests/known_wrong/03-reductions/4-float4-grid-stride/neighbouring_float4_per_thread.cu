// expect: SLOW
// says: load_traffic is
// A thread's float4 are contiguous, so those of a warp are 64 bytes apart.
#include <algorithm>

#include "reductions.h"

namespace {

constexpr int kThreads = 256;                    // per block
constexpr int kInFlight = 4;                     // float4 loads that a thread issues before it adds
constexpr int kTile = kThreads * kInFlight * 4;  // 4096 floats
constexpr int kBlocksPerSm = 4 * 8;  // 8 of 256 threads are at work, the others follow them
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
  const int tiles = n / kTile;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const float4* from =
        reinterpret_cast<const float4*>(in + tile * kTile) + kInFlight * threadIdx.x;
    float4 x[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      x[k] = from[k];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k)
      sum = make_float4(sum.x + x[k].x, sum.y + x[k].y, sum.z + x[k].z, sum.w + x[k].w);
  }
  for (int i = tiles * kTile + blockIdx.x * kThreads + threadIdx.x; i < n;
       i += gridDim.x * kThreads)
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
