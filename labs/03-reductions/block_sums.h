// The second step of a sum in two kernels, which rungs 1 to 3 are given: it adds up the sums that
// the blocks of the first kernel stored.
//
// A first kernel of n / 256 blocks leaves 1/256 of the work. It is spread over warps that add 1024
// sums each and end with one atomic: 4 atomics for n = 2^20, 1024 for n = 2^28.
#pragma once

#include <cuda_runtime.h>

namespace {

constexpr int kSumsPerWarp = 1024;

// One warp per block: each lane adds every 32nd of the warp's sums, and lane 0 adds the 32 lanes'.
__global__ void add_sums_of_blocks(const float* block_sums, int count, float* out) {
  __shared__ float of_lanes[32];  // [lane]
  const int first = blockIdx.x * kSumsPerWarp, lane = threadIdx.x;
  float sum = 0.0f;
#pragma unroll 8
  for (int i = first + lane; i < first + kSumsPerWarp; i += 32)
    if (i < count) sum += block_sums[i];
  of_lanes[lane] = sum;
  __syncthreads();
  if (lane != 0) return;
  for (int other = 1; other < 32; ++other)
    sum += of_lanes[other];
  atomicAdd(out, sum);
}

// out[0] = block_sums[0] + ... + block_sums[count - 1], after the work that is queued on `stream`.
// block_sums: [count], out: [1].
inline void add_block_sums(const float* block_sums, int count, float* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);  // four zero bytes are 0.0f
  const int warps = (count + kSumsPerWarp - 1) / kSumsPerWarp;
  add_sums_of_blocks<<<warps, 32, 0, stream>>>(block_sums, count, out);
}

}  // namespace
