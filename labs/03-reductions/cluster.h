// The four operations of a cluster that rung 7 uses, each one instruction of PTX.
//
// A cluster is a group of blocks that run at the same time and reach each other's shared memory. The kernel
// says how many: __cluster_dims__(8), blocks 0 to 7 are one cluster, 8 to 15 the next.
//
// cooperative_groups has the same under the names in brackets. Its header takes nvcc longer than the rest of
// a rung, and you would wait for it at every save.
#pragma once

#include <cuda_runtime.h>

// Which of the cluster's blocks this one is: 0, 1, ...        [this_cluster().block_rank()]
__device__ inline int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// A meeting of all threads of all blocks of the cluster, in two halves. Whoever is past cluster_wait() sees
// what everybody wrote before cluster_arrive(), also in another block's shared memory. "memory": the compiler
// moves no load or store across.                                 [barrier_arrive(), barrier_wait(), sync()]
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// Where the same shared variable lies in the cluster's block `rank`. A pointer like any other: read and write
// through it, as long as that block runs.                     [map_shared_rank(here, rank)]
template <typename T>
__device__ T* in_block(T* here, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
  return there;
}
