// Shared memory of the other blocks of a cluster: a sum gathered by one of four, and a ring of eight that add
// to their neighbour's array, between cluster barriers that are arrived at and waited for apart. And sizes
// that are refused.
#include <cooperative_groups.h>

#include <cstdio>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4, 1, 1) reduce(const int* in, int* out, int n) {
  __shared__ int part;
  __shared__ int warps[8];
  auto c = cg::this_cluster();
  int v = 0;
  for (int i = c.block_rank() * blockDim.x + threadIdx.x + blockIdx.x / 4 * n; i < (blockIdx.x / 4 + 1) * n;
       i += blockDim.x * c.num_blocks())
    v += in[i];
  v = __reduce_add_sync(~0u, v);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    part = 0;
    for (int w = 0; w < blockDim.x / 32; ++w)
      part += warps[w];
  }
  c.sync();
  if (c.block_rank() == 0 && threadIdx.x < 32) {
    int s = threadIdx.x < 4 ? *c.map_shared_rank(&part, threadIdx.x) : 0;
    s = __reduce_add_sync(~0u, s);
    if (threadIdx.x == 0) out[blockIdx.x / 4] = s;
  }
  c.sync();
}
__global__ void ring(int* out) {
  extern __shared__ int buf[];
  auto c = cg::this_cluster();
  unsigned next = (c.block_rank() + 1) % c.num_blocks();
  buf[threadIdx.x] = 0;
  c.sync();
  int* there = c.map_shared_rank(buf, next);
  for (int round = 0; round < 3; ++round) {
    atomicAdd(there + (threadIdx.x + round) % blockDim.x, (int)c.block_rank() + 1);
  }
  c.barrier_arrive();
  int x = threadIdx.x * 2;
  c.barrier_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      buf[threadIdx.x] * 1000 + x + (c.query_shared_rank(there) == next);
  c.sync();
}
int main() {
  int n = 5000;
  int *d, *o;
  cudaMallocManaged(&d, 3 * n * 4);
  cudaMallocManaged(&o, 8192);
  int want[3] = {};
  for (int i = 0; i < 3 * n; ++i) {
    d[i] = i % 17 - 5;
    want[i / n] += d[i];
  }
  reduce<<<12, 256>>>(d, o, n);
  cudaDeviceSynchronize();
  printf("reduce %d %s\n", o[0] == want[0] && o[1] == want[1] && o[2] == want[2],
         cudaGetErrorString(cudaGetLastError()));
  cudaLaunchConfig_t cfg{};
  cfg.gridDim = 16;
  cfg.blockDim = 64;
  cfg.dynamicSmemBytes = 256;
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim = {8, 1, 1};
  cfg.attrs = a;
  cfg.numAttrs = 1;
  int most = 0;
  cudaOccupancyMaxPotentialClusterSize(&most, ring, &cfg);
  printf("most %d launch %s\n", most, cudaGetErrorString(cudaLaunchKernelEx(&cfg, ring, o)));
  cudaDeviceSynchronize();
  bool ok = true;
  for (int b = 0; b < 16; ++b)
    for (int t = 0; t < 64; ++t)
      ok &= o[b * 64 + t] == 3 * ((b % 8 + 7) % 8 + 1) * 1000 + 2 * t + 1;
  printf("ring %d %s\n", ok, cudaGetErrorString(cudaGetLastError()));
  a[0].val.clusterDim = {16, 1, 1};
  printf("16: %s\n", cudaGetErrorString(cudaLaunchKernelEx(&cfg, ring, o)));
  cudaFuncSetAttribute(ring, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  printf("16 allowed: %s\n", cudaGetErrorString(cudaLaunchKernelEx(&cfg, ring, o)));
  cudaDeviceSynchronize();
  a[0].val.clusterDim = {3, 1, 1};
  printf("3 of 16: %s\n", cudaGetErrorString(cudaLaunchKernelEx(&cfg, ring, o)));
}
