// A sum without atomics: partial sums of blocks in memory of its own, added up by a second kernel.
#include "reductions.h"

namespace {

constexpr int kThreads = 256;

__device__ float block_sum(float value) {
  __shared__ float of_warps[kThreads / 32];
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_down_sync(~0u, value, d);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < kThreads / 32 ? of_warps[threadIdx.x] : 0.0f;
  for (int d = 4; d > 0; d /= 2)
    value += __shfl_down_sync(~0u, value, d);
  return value;
}

__global__ void add_blocks(const float* in, float* of_blocks, int n) {
  const int i = blockIdx.x * 2 * kThreads + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  if (i + kThreads < n) value += in[i + kThreads];
  value = block_sum(value);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = value;
}

__global__ void add_rest(const float* of_blocks, float* out, int count) {
  float value = 0;
  for (int i = threadIdx.x; i < count; i += kThreads)
    value += of_blocks[i];
  value = block_sum(value);
  if (threadIdx.x == 0) *out = value;
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
  float* of_blocks = nullptr;
  cudaMallocAsync(&of_blocks, blocks * sizeof(float), stream);
  add_blocks<<<blocks, kThreads, 0, stream>>>(in, of_blocks, n);
  add_rest<<<1, kThreads, 0, stream>>>(of_blocks, out, blocks);
  cudaFreeAsync(of_blocks, stream);
}
