// Copies that run beside the threads, mbarriers, and shared memory of other blocks.
#include <cooperative_groups.h>

#include "faulty.h"

namespace cg = cooperative_groups;

__device__ unsigned place_of(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
// For one arrival; all threads may use it.
__device__ unsigned initialised(unsigned long long* mbarrier) {
  const unsigned b = place_of(mbarrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
  __syncthreads();
  return b;
}
__device__ void expect(unsigned mbarrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mbarrier), "r"(bytes) : "memory");
}
__device__ void load_bulk(unsigned to, const void* from, int bytes, unsigned mbarrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(mbarrier) : "memory");
}
__device__ bool has_completed(unsigned mbarrier, int parity) {
  int done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(mbarrier), "r"(parity) : "memory");  // <- expects_too_many_bytes
  return done != 0;
}

// case expects_too_many_bytes: deadlock
template <bool kFixed>
__global__ void tile_of_1024(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long mbarrier;
  const unsigned b = initialised(&mbarrier);
  if (threadIdx.x == 0) {
    expect(b, kFixed ? 1024 : 2048);
    load_bulk(place_of(tile), in, 1024, b);
  }
  while (!has_completed(b, 0)) {
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

// case wrong_parity: race
template <bool kFixed>
__global__ void waits_for_the_phase_before(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long mbarrier;
  const unsigned b = initialised(&mbarrier);
  if (threadIdx.x == 0) {
    expect(b, 1024);
    load_bulk(place_of(tile), in, 1024, b);
  }
  while (!has_completed(b, kFixed ? 0 : 1)) {
  }
  out[threadIdx.x] = tile[threadIdx.x];  // <- wrong_parity
}

// case store_without_proxy_fence: race
template <bool kFixed>
__global__ void bulk_store(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  tile[threadIdx.x] = in[threadIdx.x] * 2;
  if (kFixed) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out), "r"(place_of(tile)) : "memory");  // <- store_without_proxy_fence
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// case peer_has_left: out_of_bounds
template <bool kFixed>
__global__ void __cluster_dims__(2) reads_a_peer(const float* in, float* out) {
  __shared__ float s[32];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x];
  cluster.sync();
  if (!kFixed && cluster.block_rank() == 1) return;
  float total = 0;
  if (cluster.block_rank() == 0) {
    for (int i = 0; i < 32; ++i) total += cluster.map_shared_rank(s, 1)[i];  // <- peer_has_left
  }
  out[blockIdx.x * 32 + threadIdx.x] = total;
  if (kFixed) cluster.sync();
}

// case read_before_the_wait: race
template <bool kFixed>
__global__ void impatient(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  const unsigned to = place_of(&tile[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
  if (kFixed) asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];  // <- read_before_the_wait
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// case bulk_tile_read_at_once: race
template <bool kFixed>
__global__ void does_not_wait(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long mbarrier;
  const unsigned b = initialised(&mbarrier);
  if (threadIdx.x == 0) {
    expect(b, 1024);
    load_bulk(place_of(tile), in, 1024, b);
  }
  while (kFixed && !has_completed(b, 0)) {
  }
  out[threadIdx.x] = tile[threadIdx.x];  // <- bulk_tile_read_at_once
}

// case mbarrier_init_without_fence: race
// says mbarrier_init_without_fence: no fence makes the initialisation visible to the copy engine
// A barrier of the block orders its threads, and not the copy engine, after the initialisation.
template <bool kFixed>
__global__ void copies_on_an_mbarrier(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long mbarrier;
  const unsigned b = place_of(&mbarrier);
  if (threadIdx.x == 32) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    if (kFixed) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(b, 1024);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in), "r"(b) : "memory");  // <- mbarrier_init_without_fence
  }
  while (!has_completed(b, 0)) {
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

const Case kCases[] = {
    {"mbarrier_init_without_fence", [](bool f) { (f ? copies_on_an_mbarrier<true> : copies_on_an_mbarrier<false>)<<<1, 64>>>(numbers<float>(256), zeros<float>(64)); }},
    {"expects_too_many_bytes", [](bool f) { (f ? tile_of_1024<true> : tile_of_1024<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"wrong_parity", [](bool f) { (f ? waits_for_the_phase_before<true> : waits_for_the_phase_before<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"store_without_proxy_fence", [](bool f) { (f ? bulk_store<true> : bulk_store<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"read_before_the_wait", [](bool f) { (f ? impatient<true> : impatient<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"bulk_tile_read_at_once", [](bool f) { (f ? does_not_wait<true> : does_not_wait<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"peer_has_left", [](bool f) { (f ? reads_a_peer<true> : reads_a_peer<false>)<<<2, 32>>>(numbers<float>(32), zeros<float>(64)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
