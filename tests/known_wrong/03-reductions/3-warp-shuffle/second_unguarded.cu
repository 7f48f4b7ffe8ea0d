// expect: OUT OF BOUNDS
// The bounds check covers the first element only; the second is 256 further on. For n = 1 that is
// 1,020 bytes behind the array, where no other begins.
#include "block_sums.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256;           // per block; a block adds up twice as many elements
constexpr int kWarps = kThreads / 32;   // 8
constexpr unsigned kAll = 0xffffffffu;  // all 32 lanes take part

// The sum of `value` over the 32 lanes; the result is in lane 0.
__device__ float warp_sum(float value) {
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_down_sync(kAll, value, d);
  return value;
}

// The sum of `value` over the block; the result is in thread 0.
__device__ float block_sum(float value) {
  __shared__ float of_warps[kWarps];  // [warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  if (warp != 0) return 0.0f;
  return warp_sum(lane < kWarps ? of_warps[lane] : 0.0f);
}

__global__ void sum_warp_shuffle(const float* in, float* block_sums, int n) {
  const int i = blockIdx.x * 2 * kThreads + threadIdx.x;
  const float first = i < n ? in[i] : 0.0f;
  const float second = i < n ? in[i + kThreads] : 0.0f;
  const float total = block_sum(first + second);
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
