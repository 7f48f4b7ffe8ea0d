// The operations of a cluster, one PTX instruction each: rungs 7 and 8 of lab 03, rung 4 of lab 12.
//
// A cluster is a group of blocks that run at the same time and can access each other's shared
// memory. The kernel declares its size: with __cluster_dims__(8), blocks 0 to 7 are one cluster, 8
// to 15 the next.
//
// cooperative_groups has the same operations under the names in brackets. Its header takes nvcc
// longer than the rest of a rung, at every save.
#pragma once

#include <cuda_runtime.h>

// The rank of this block in its cluster: 0, 1, ...            [this_cluster().block_rank()]
__device__ inline int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// A barrier of all threads of all blocks of the cluster, in two halves. After cluster_wait() a
// thread sees all writes made before cluster_arrive(), also those to another block's shared memory.
// "memory":
// the compiler moves no load or store across it.    [barrier_arrive(), barrier_wait(), sync()]
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

// The address of the same shared variable in block `rank` of the cluster: an ordinary pointer,
// valid for reads and writes as long as that block runs.    [map_shared_rank(here, rank)]
template <typename T>
__device__ T* in_block(T* here, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
  return there;
}
