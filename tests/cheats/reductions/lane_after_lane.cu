// Shuffles without a tree: lane 0 fetches the 31 other values of its warp one after the other.
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

__device__ float add_up(float value) {
  float sum = value;
  for (int lane = 1; lane < 32; ++lane)
    sum += __shfl_sync(kAll, value, lane);
  return sum;
}

__global__ void add_lane_after_lane(const float* in, float* block_sums, int n) {
  __shared__ float of_warps[kThreads / 32];
  const int i = blockIdx.x * 2 * kThreads + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = (i < n ? in[i] : 0.0f) + (i + kThreads < n ? in[i + kThreads] : 0.0f);
  value = add_up(value);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  if (warp != 0) return;
  value = add_up(lane < kThreads / 32 ? of_warps[lane] : 0.0f);
  if (lane == 0) block_sums[blockIdx.x] = value;
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
  float* block_sums = nullptr;  // [blocks]
  cudaMallocAsync(&block_sums, blocks * sizeof(float), stream);
  add_lane_after_lane<<<blocks, kThreads, 0, stream>>>(in, block_sums, n);
  add_block_sums(block_sums, blocks, out, stream);
  cudaFreeAsync(block_sums, stream);
}
