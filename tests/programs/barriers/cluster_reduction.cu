// A sum over a cluster: partial sums are pushed to the first block with st.async, which counts their bytes
// with an mbarrier; a pipeline of blocks passes tokens on by remote arrivals; and a grid of clusters that
// synchronises as a whole.
#include <cooperative_groups.h>

#include <cuda/ptx>

#include "check.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kBlocks = 8;

__device__ void wait_parity(uint64_t* bar, uint32_t parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity)) {
  }
}

__global__ void __cluster_dims__(kBlocks, 1, 1) sums(const int* in, int per_block, int* out) {
  __shared__ int partial[kBlocks];
  __shared__ alignas(8) uint64_t bar;
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    sum = 0;
    ptx::mbarrier_init(&bar, 1);
    if (rank == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, kBlocks * 4);
  }
  cluster.sync();
  int mine = 0;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    mine += in[blockIdx.x * per_block + i];
  mine = __reduce_add_sync(0xffffffff, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    int* there = cluster.map_shared_rank(partial, 0);
    uint64_t* counts = cluster.map_shared_rank(&bar, 0);
    ptx::st_async(there + rank, sum, counts);
  }
  if (rank == 0) {
    wait_parity(&bar, 0);
    if (threadIdx.x == 0) {
      int total = 0;
      for (int i = 0; i < kBlocks; ++i)
        total += partial[i];
      out[blockIdx.x / kBlocks] = total;
    }
  }
  cluster.sync();
}

// A token goes round the cluster's blocks; each adds to it and arrives at the next one's mbarrier.
__global__ void __cluster_dims__(4, 1, 1) token(int* out, int laps) {
  __shared__ int value;
  __shared__ alignas(8) uint64_t bar;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
  if (threadIdx.x == 0) {
    value = 0;
    ptx::mbarrier_init(&bar, 1);
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    int* next_value = cluster.map_shared_rank(&value, (rank + 1) % n);
    uint64_t* next_bar = cluster.map_shared_rank(&bar, (rank + 1) % n);
    for (int lap = 0; lap < laps; ++lap) {
      if (rank != 0 || lap != 0) wait_parity(&bar, (lap + (rank == 0 ? 1 : 0)) & 1);
      *next_value = value + rank + 1;
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, next_bar);
    }
    if (rank == 0) {
      wait_parity(&bar, (laps + 1) & 1);
      *out = value;
    }
  }
  cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) grid_sync(int* values, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int i = blockIdx.x;
  for (int r = 0; r < rounds; ++r) {
    int left = values[(r & 1) * gridDim.x + (i + gridDim.x - 1) % gridDim.x];
    grid.sync();
    if (threadIdx.x == 0) values[(~r & 1) * gridDim.x + i] = left + 1;
    grid.sync();
  }
}

int main() {
  constexpr int per_block = 500, clusters = 3, n = per_block * kBlocks * clusters;
  static int in[n];
  for (int i = 0; i < n; ++i)
    in[i] = i * 31 % 997;
  int *device_in = device_array<int>(n), *device_out = device_array<int>(64);
  to_device(device_in, in, n);
  sums<<<kBlocks * clusters, 96>>>(device_in, per_block, device_out);
  finish("sums");
  int out[64];
  to_host(out, device_out, clusters);
  for (int c = 0; c < clusters; ++c) {
    int expected = 0;
    for (int i = 0; i < per_block * kBlocks; ++i)
      expected += in[c * per_block * kBlocks + i];
    std::printf("cluster %d: %d %s\n", c, out[c], out[c] == expected ? "right" : "wrong");
  }
  token<<<4, 32>>>(device_out, 25);
  finish("token");
  to_host(out, device_out, 1);
  std::printf("token: %d\n", out[0]);

  constexpr int blocks = 10;
  int values[2 * blocks] = {};
  for (int i = 0; i < blocks; ++i)
    values[i] = 10 * i;
  to_device(device_out, values, 2 * blocks);
  int rounds = 7;
  void* arguments[] = {&device_out, &rounds};
  check(cudaLaunchCooperativeKernel(grid_sync, dim3(blocks), dim3(64), arguments),
        "cudaLaunchCooperativeKernel");
  finish("grid_sync");
  to_host(values, device_out, 2 * blocks);
  std::printf("grid sync:");
  for (int i = 0; i < blocks; ++i)
    std::printf(" %d", values[blocks + i]);
  std::printf("\n");
}
