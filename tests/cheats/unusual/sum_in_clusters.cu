// Clusters of eight blocks: the blocks add up in the shared memory of the first one, and each cluster
// adds to the result once.
#include "cluster.h"
#include "reductions.h"

namespace {

constexpr int kThreads = 256, kBlocks = 1056, kInCluster = 8;

__device__ float warp_sum(float value) {  // the result is in lane 0
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_down_sync(0xffffffffu, value, d);
  return value;
}

__device__ float thread_sum(const float* in, int n) {
  const int t = blockIdx.x * kThreads + threadIdx.x, threads = gridDim.x * kThreads;
  const float4* from = reinterpret_cast<const float4*>(in);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = t; i < n / 4; i += threads)
    sum = make_float4(sum.x + from[i].x, sum.y + from[i].y, sum.z + from[i].z, sum.w + from[i].w);
  for (int i = n / 4 * 4 + t; i < n; i += threads)
    sum.x += in[i];
  return (sum.x + sum.y) + (sum.z + sum.w);
}

__global__ void __cluster_dims__(kInCluster) __launch_bounds__(kThreads)
    sum_in_clusters(const float* in, float* out, int n) {
  __shared__ float of_warps[kInCluster * kThreads / 32];  // of the cluster: [block][warp]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float sum = warp_sum(thread_sum(in, n));
  cluster_sync();  // the first block must have started
  if (lane == 0) in_block(of_warps, 0)[cluster_rank() * (kThreads / 32) + warp] = sum;
  cluster_sync();
  if (cluster_rank() != 0 || warp != 0) return;
  const float all = warp_sum(of_warps[lane] + of_warps[lane + 32]);
  if (lane == 0) atomicAdd(out, all);
}

}  // namespace

extern "C" void sum(const float* in, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  sum_in_clusters<<<kBlocks, kThreads, 0, stream>>>(in, out, n);
}
