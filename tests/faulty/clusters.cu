// Races between the blocks of a cluster, in each other's shared memory.
#include <cooperative_groups.h>

#include "faulty.h"

namespace cg = cooperative_groups;

// case peer_reads_before_it_is_written: race
template <bool kFixed>
__global__ void __cluster_dims__(2) exchange(const float* in, float* out) {
  __shared__ float s[64];
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank();
  s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  if (kFixed)
    cluster.sync();
  else
    __syncthreads();  // makes no other block wait
  out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(s, 1 - me)[threadIdx.x];  // <- peer_reads_before_it_is_written
  cluster.sync();
}

// case written_while_a_peer_reads: race
// says written_while_a_peer_reads: of the __shared__ array `s` (256 bytes, elements of 4 counted) of block (1,0,0) (rank 1), which thread
// says written_while_a_peer_reads: of block (1,0,0) (rank 1) wrote at
template <bool kFixed>
__global__ void __cluster_dims__(2) steps(const float* in, float* out) {
  __shared__ float s[64];
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  float v = in[blockIdx.x * 64 + t];
  for (int step = 0; step < 3; ++step) {
    s[t] = v;
    cluster.sync();
    v += cluster.map_shared_rank(s, 1 - me)[63 - t];  // <- written_while_a_peer_reads
    if (kFixed) cluster.sync();
  }
  out[blockIdx.x * 64 + t] = v;
  cluster.sync();
}

// case peers_write_one_element: race
template <bool kFixed>
__global__ void __cluster_dims__(4) gather_sum(const float* in, float* out) {
  __shared__ float sums[4];
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  if (me == 0 && t < 4) sums[t] = 0;
  cluster.sync();
  if (t == 0) cluster.map_shared_rank(sums, 0)[kFixed ? me : me / 2] = in[blockIdx.x];  // <- peers_write_one_element
  cluster.sync();
  if (me == 0 && t < 4) out[t] = sums[t];
}

// case histogram_without_atomics_in_a_peer: race
template <bool kFixed>
__global__ void __cluster_dims__(2) histogram(const int* in, int* out) {
  __shared__ int bins[61];
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  if (t < 61) bins[t] = 0;
  cluster.sync();
  int* const all = cluster.map_shared_rank(bins, 0);
  const int bin = in[blockIdx.x * 64 + t];
  if (kFixed)
    atomicAdd(&all[bin], 1);
  else
    all[bin] += 1;  // <- histogram_without_atomics_in_a_peer
  cluster.sync();
  if (me == 0 && t < 61) out[t] = bins[t];
}

// The peer has read in time, here; nothing says that it will.
// case ends_while_a_peer_reads: race
// says ends_while_a_peer_reads: nothing keeps that block alive until then
template <bool kFixed>
__global__ void __cluster_dims__(2) no_last_sync(const float* in, float* out) {
  __shared__ float s[64];
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  cluster.sync();
  if (me == 1) out[t] = cluster.map_shared_rank(s, 0)[63 - t];  // <- ends_while_a_peer_reads
  if (kFixed) cluster.sync();
}

// case arrives_at_a_peers_mbarrier_too_early: race
template <bool kFixed>
__global__ void __cluster_dims__(2) remote_arrival(int* out) {
  __shared__ unsigned long long mbarrier;
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&mbarrier));
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (kFixed) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }
  if (me == 1 && t == 0) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(b));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");  // <- arrives_at_a_peers_mbarrier_too_early
  }
  if (me == 0) {
    int done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
    out[t] = 1;
  }
  cluster.sync();
}

// case peer_mbarrier_init_without_fence: race
// says peer_mbarrier_init_without_fence: visible to the other blocks of the cluster
// A relaxed arrival at the cluster's barrier orders no memory: a fence has to.
template <bool kFixed>
__global__ void __cluster_dims__(2) relaxed_start(int* out) {
  __shared__ unsigned long long mbarrier;
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&mbarrier));
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    if (kFixed) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  if (me == 1 && t == 0) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(b));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");  // <- peer_mbarrier_init_without_fence
  }
  if (me == 0) {
    int done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
    out[t] = 1;
  }
  cluster.sync();
}

// Each block gives its neighbour a value. A barrier of the block says nothing of the neighbour's.
// case written_before_the_peer_has_started: race
// says written_before_the_peer_has_started: nothing ensures that this block has started
template <bool kFixed>
__global__ void __cluster_dims__(2) hand_over(const float* in, float* out) {
  __shared__ float from_peer[64];
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank(), t = threadIdx.x;
  if (kFixed)
    cluster.sync();
  else
    __syncthreads();
  cluster.map_shared_rank(from_peer, 1 - me)[t] = in[blockIdx.x * 64 + t];  // <- written_before_the_peer_has_started
  cluster.sync();
  out[blockIdx.x * 64 + t] = from_peer[t];
}

// Who arrives last may find nobody there.
// case leaves_while_a_peer_arrives: race
// says leaves_while_a_peer_arrives: arrives at the mbarrier at
template <bool kFixed>
__global__ void __cluster_dims__(2) last_arrival(int* out) {
  __shared__ unsigned long long mbarrier;
  auto cluster = cg::this_cluster();
  const unsigned me = cluster.block_rank();
  const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&mbarrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
  cluster.sync();
  out[me * 32 + threadIdx.x] = 1;
  if (me == 1 && threadIdx.x == 0)
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(b) : "memory");  // <- leaves_while_a_peer_arrives
  for (int done = !kFixed || me == 1; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
}

// case rank_beyond_the_cluster: out_of_bounds
// cause rank_beyond_the_cluster: cluster_rank
// says rank_beyond_the_cluster: the block with rank 480 in a cluster of 2
template <bool kFixed>
__global__ void __cluster_dims__(2) far_away(const float* in, float* out) {
  __shared__ float s[64];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x];
  cluster.sync();
  out[threadIdx.x] = cluster.map_shared_rank(s, kFixed ? 1 : 480)[threadIdx.x];  // <- rank_beyond_the_cluster
  cluster.sync();
}

const Case kCases[] = {
    {"rank_beyond_the_cluster", [](bool f) { (f ? far_away<true> : far_away<false>)<<<2, 64>>>(numbers<float>(64), zeros<float>(64)); }},
    {"peer_mbarrier_init_without_fence", [](bool f) { (f ? relaxed_start<true> : relaxed_start<false>)<<<2, 32>>>(zeros<int>(32)); }},
    {"peer_reads_before_it_is_written", [](bool f) { (f ? exchange<true> : exchange<false>)<<<4, 64>>>(numbers<float>(256), zeros<float>(256)); }},
    {"written_while_a_peer_reads", [](bool f) { (f ? steps<true> : steps<false>)<<<4, 64>>>(numbers<float>(256), zeros<float>(256)); }},
    {"peers_write_one_element", [](bool f) { (f ? gather_sum<true> : gather_sum<false>)<<<4, 32>>>(numbers<float>(4), zeros<float>(4)); }},
    {"histogram_without_atomics_in_a_peer", [](bool f) { (f ? histogram<true> : histogram<false>)<<<2, 64>>>(numbers<int>(128), zeros<int>(61)); }},
    {"ends_while_a_peer_reads", [](bool f) { (f ? no_last_sync<true> : no_last_sync<false>)<<<2, 64>>>(numbers<float>(128), zeros<float>(64)); }},
    {"arrives_at_a_peers_mbarrier_too_early", [](bool f) { (f ? remote_arrival<true> : remote_arrival<false>)<<<2, 32>>>(zeros<int>(32)); }},
    {"written_before_the_peer_has_started", [](bool f) { (f ? hand_over<true> : hand_over<false>)<<<4, 64>>>(numbers<float>(256), zeros<float>(256)); }},
    {"leaves_while_a_peer_arrives", [](bool f) { (f ? last_arrival<true> : last_arrival<false>)<<<2, 32>>>(zeros<int>(64)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
