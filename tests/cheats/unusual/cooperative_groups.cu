// A sum by cooperative groups: tiles of 32 threads reduce, and a leader adds.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "block_sums.h"
#include "reductions.h"

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;

__global__ void add_by_groups(const float* in, float* block_sums, int n) {
  __shared__ float of_warps[kThreads / 32];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * 2 * kThreads + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  if (i + kThreads < n) value += in[i + kThreads];
  value = cg::reduce(warp, value, cg::plus<float>());
  if (warp.thread_rank() == 0) of_warps[warp.meta_group_rank()] = value;
  block.sync();
  if (warp.meta_group_rank() != 0) return;
  value = warp.thread_rank() < kThreads / 32 ? of_warps[warp.thread_rank()] : 0.0f;
  value = cg::reduce(warp, value, cg::plus<float>());
  if (warp.thread_rank() == 0) block_sums[blockIdx.x] = value;
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
  float* block_sums = nullptr;  // [blocks]
  cudaMallocAsync(&block_sums, blocks * sizeof(float), stream);
  add_by_groups<<<blocks, kThreads, 0, stream>>>(in, block_sums, n);
  add_block_sums(block_sums, blocks, out, stream);
  cudaFreeAsync(block_sums, stream);
}
