// What wgmma reads is written again too early.
#include "faulty.h"
#include "hopper.h"

__device__ void multiply(float (&d)[4], const Tiles& tiles) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(tiles.a)), "l"(descriptor(tiles.b)) : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ void finish() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

__device__ void arrive(unsigned mbarrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(mbarrier) : "memory"); }

// The next tile is stored while the product of this one goes on. Stores beside it do no harm.
// case stored_under_a_product: race
// says stored_under_a_product: of threads 0 to 127 may still be reading: they have not waited for it
// says stored_under_a_product: let the warps wait for the MMA (wgmma.wait_group)
// cause stored_under_a_product: product_not_waited
template <bool kFixed>
__global__ void __launch_bounds__(128) next_tile_too_early(const unsigned short* in, float* out) {
  __shared__ Tiles tiles;
  __shared__ unsigned short beside[128];
  const int t = threadIdx.x;
  fill(tiles);
  __syncthreads();
  float d[4] = {};
  for (int k = 0; k < 3; ++k) {
    multiply(d, tiles);
    beside[t] = in[t];
    if (kFixed) finish();
    if (kFixed) __syncthreads();
    tiles.b[t] = in[k * 128 + t];  // <- stored_under_a_product
    if (!kFixed) finish();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
  }
  out[t] = d[0] + d[1] + d[2] + d[3] + beside[t];
}

// The warps have waited for their product, each for itself: no other warpgroup knows.
// case stored_by_another_warpgroup: race
// says stored_by_another_warpgroup: of threads 128 to 255 may still be reading: they have not waited for it
template <bool kFixed>
__global__ void __launch_bounds__(256) without_barrier(const unsigned short* in, float* out) {
  __shared__ Tiles tiles;
  const int t = threadIdx.x;
  fill(tiles);
  __syncthreads();
  float d[4] = {};
  if (t >= 128) {
    multiply(d, tiles);
    finish();
  }
  if (kFixed) __syncthreads();
  if (t < 128) tiles.b[t] = in[t];  // <- stored_by_another_warpgroup
  __syncthreads();
  out[t] = d[0] + d[1] + d[2] + d[3] + tiles.b[t % 128];
}

// The tile is given back before its product has even begun. One thread does so for its whole warpgroup, in the twin too.
// case copied_over_a_product: race
// says copied_over_a_product: starts a copy into
// says copied_over_a_product: has read, and nothing makes the write wait for that
template <bool kFixed>
__global__ void __launch_bounds__(160) gives_back_first(const unsigned short* in, float* out) {
  __shared__ Tiles tiles;
  __shared__ unsigned long long objects[2];
  const unsigned full = place_of(&objects[0]), empty = place_of(&objects[1]);
  fill(tiles);
  if (threadIdx.x < 2) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(threadIdx.x == 0 ? full : empty) : "memory");
  __syncthreads();
  if (threadIdx.x >= 128) {
    for (int k = 0; k < 3 && threadIdx.x == 128; ++k) {
      if (k > 0) wait(empty, (k - 1) & 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(full) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(place_of(tiles.a)), "l"(in + k * 1024), "r"(full) : "memory");  // <- copied_over_a_product
    }
    return;
  }
  float d[4] = {};
  for (int k = 0; k < 3; ++k) {
    wait(full, k & 1);
    if (!kFixed && threadIdx.x == 0) arrive(empty);
    multiply(d, tiles);
    finish();
    if (kFixed && threadIdx.x == 0) arrive(empty);
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

static unsigned short* in() { return numbers<unsigned short>(3072); }

const Case kCases[] = {
    {"stored_under_a_product", [](bool f) { (f ? next_tile_too_early<true> : next_tile_too_early<false>)<<<1, 128>>>(in(), zeros<float>(128)); }},
    {"stored_by_another_warpgroup", [](bool f) { (f ? without_barrier<true> : without_barrier<false>)<<<1, 256>>>(in(), zeros<float>(256)); }},
    {"copied_over_a_product", [](bool f) { (f ? gives_back_first<true> : gives_back_first<false>)<<<1, 160>>>(in(), zeros<float>(128)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
