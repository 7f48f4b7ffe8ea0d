// A block arrives at the mbarrier of another block of its cluster, which then uses its own shared memory: the
// consumer's release of a pipeline stage, as GEMMs with clusters have it.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ unsigned place_of(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__global__ void __cluster_dims__(2, 1, 1) arrivals(int* out, int rounds) {
  __shared__ alignas(8) unsigned long long empty;
  __shared__ int tile[64];
  auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), other = rank ^ 1;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(place_of(&empty)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster.sync();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) {
      asm volatile("{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;\n"
                   "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" ::"r"(place_of(&empty)),
                   "r"(other)
                   : "memory");
      asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(place_of(&empty)) : "memory");
    }
    int done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(place_of(&empty)), "r"(round & 1)
                   : "memory");
    tile[threadIdx.x] = round * 100 + threadIdx.x + rank;
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
  cluster.sync();
}

int main() {
  int result[256];
  int* out = device_array<int>(256);
  arrivals<<<4, 64>>>(out, 3);
  finish("arrivals");
  to_host(result, out, 256);
  for (int block = 0; block < 4; ++block)
    printf("block %d: %d %d\n", block, result[block * 64], result[block * 64 + 63]);
}
