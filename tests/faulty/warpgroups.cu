// What wgmma and mbarriers ask of the threads around them.
#include "faulty.h"
#include "hopper.h"

#define PRODUCT                                                                                         \
  "{ .reg .pred p; setp.ne.b32 p, %6, 0;\n wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, " \
  "1, 1, 0, 0; }"
#define OPERANDS(d, tiles, adds)                                        \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                         \
      : "l"(descriptor(tiles.a)), "l"(descriptor(tiles.b)), "r"(adds) : "memory"
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void finish() { asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory"); }

// case wgmma_without_fence: race
template <bool kFixed>
__global__ void __launch_bounds__(128) first_product(float* out) {
  __shared__ Tiles tiles;
  fill(tiles);
  __syncthreads();
  float d[4] = {1, 2, 3, 4};
  if (kFixed) fence();
  asm volatile(PRODUCT : OPERANDS(d, tiles, 1));  // <- wgmma_without_fence
  finish();
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// The accumulators are scaled between two products, as an online softmax does.
// case accumulators_changed_without_fence: race
template <bool kFixed>
__global__ void __launch_bounds__(128) rescaled(float* out, int steps) {
  __shared__ Tiles tiles;
  fill(tiles);
  __syncthreads();
  float d[4] = {};
  fence();
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    asm volatile(PRODUCT : OPERANDS(d, tiles, 1));  // <- accumulators_changed_without_fence
    finish();
    for (float& value : d) value *= 0.5f;
    if (kFixed) fence();
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// case wgmma_in_three_of_four_warps: barrier
// says wgmma_in_three_of_four_warps: and warp 6 of its warpgroup (threads 192 to 223) never
template <bool kFixed>
__global__ void __launch_bounds__(256) not_all_warps(float* out) {
  __shared__ Tiles tiles;
  fill(tiles);
  __syncthreads();
  float d[4] = {};
  if (kFixed || threadIdx.x / 32 != 6) {
    fence();
    asm volatile(PRODUCT : OPERANDS(d, tiles, 0));  // <- wgmma_in_three_of_four_warps
    finish();
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// One thread brings the next tile as soon as it may: here before the product of this one has been waited for.
// case tile_given_back_before_its_product: race
// says tile_given_back_before_its_product: of threads 0 to 127 may still be reading: they have not waited for it
template <bool kFixed>
__global__ void __launch_bounds__(160) gives_back_early(const unsigned short* in, float* out) {
  __shared__ Tiles tiles;
  __shared__ unsigned long long objects[2];
  const unsigned full = place_of(&objects[0]), empty = place_of(&objects[1]);
  fill(tiles);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nmbarrier.init.shared::cta.b64 [%1], 128;\nfence.mbarrier_init.release.cluster;" ::"r"(full), "r"(empty) : "memory");
  __syncthreads();
  if (threadIdx.x >= 128) {
    for (int k = 0; k < 2 && threadIdx.x == 128; ++k) {
      if (k > 0) wait(empty, 0);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(full) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(place_of(tiles.a)), "l"(in + k * 1024), "r"(full) : "memory");  // <- tile_given_back_before_its_product
    }
    return;
  }
  float d[4] = {};
  for (int k = 0; k < 2; ++k) {
    wait(full, k);
    fence();
    asm volatile(PRODUCT : OPERANDS(d, tiles, 1));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (kFixed) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty) : "memory");
    if (!kFixed) {
      __nanosleep(100);
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// case mbarrier_used_before_its_init: race
// says mbarrier_used_before_its_init: uses the mbarrier at element 0 of the __shared__ array `mbarrier`
template <bool kFixed>
__global__ void all_arrive(float* out) {
  __shared__ unsigned long long mbarrier;
  const unsigned b = place_of(&mbarrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(b) : "memory");
  if (kFixed) __syncthreads();
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(b) : "memory");  // <- mbarrier_used_before_its_init
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
  out[threadIdx.x] = 1;
}

const Case kCases[] = {
    {"wgmma_without_fence", [](bool f) { (f ? first_product<true> : first_product<false>)<<<1, 128>>>(zeros<float>(128)); }},
    {"accumulators_changed_without_fence", [](bool f) { (f ? rescaled<true> : rescaled<false>)<<<1, 128>>>(zeros<float>(128), 3); }},
    {"wgmma_in_three_of_four_warps", [](bool f) { (f ? not_all_warps<true> : not_all_warps<false>)<<<1, 256>>>(zeros<float>(256)); }},
    {"tile_given_back_before_its_product", [](bool f) { (f ? gives_back_early<true> : gives_back_early<false>)<<<1, 160>>>(numbers<unsigned short>(2048), zeros<float>(128)); }},
    {"mbarrier_used_before_its_init", [](bool f) { (f ? all_arrive<true> : all_arrive<false>)<<<1, 64>>>(zeros<float>(64)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
