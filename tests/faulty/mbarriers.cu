// mbarriers that get more arrivals than their init said, and waits that wait for nothing.
#include "faulty.h"
#include "hopper.h"

__device__ void initialise(unsigned long long* mbarrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(mbarrier)), "r"(count) : "memory");
}
__device__ void arrive(unsigned long long* mbarrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(mbarrier)) : "memory");  // <- arrives_too_often
}

// Every warp reports, and init was told of one.
// case arrives_too_often: barrier
// cause arrives_too_often: mbarrier_arrivals
// says arrives_too_often: at the mbarrier `empty[1]`
// says arrives_too_often: init gave it 1
template <bool kFixed>
__global__ void all_warps_report(int* out) {
  __shared__ unsigned long long empty[3];
  if (threadIdx.x == 0)
    for (int i = 0; i < 3; ++i) initialise(&empty[i], kFixed ? 4 : 1);
  __syncthreads();
  if (threadIdx.x % 32 == 0) arrive(&empty[1]);
  wait(place_of(&empty[1]), 0);
  out[threadIdx.x] = 1;
}

// The producer fills the second stage while the consumer, whose parity never changes, still reads the first
// pass.
// case parity_never_flips: race
// cause parity_never_flips: wait_passed_at_once
template <bool kFixed>
__global__ void three_passes(const float* in, float* out) {
  __shared__ alignas(16) float tiles[2][256];
  __shared__ unsigned long long full[2], empty[2];
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) initialise(&full[i], 1), initialise(&empty[i], 1);
  __syncthreads();
  float total = 0;
  for (int k = 0; k < 6; ++k) {
    const int stage = k % 2, parity = k / 2 % 2;
    if (threadIdx.x == 32) {
      wait(place_of(&empty[stage]), parity ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(place_of(&full[stage])) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tiles[stage])), "l"(in + k * 256), "r"(place_of(&full[stage])) : "memory");
    } else if (threadIdx.x < 32) {
      wait(place_of(&full[stage]), kFixed ? parity : 0);
      for (int i = 0; i < 8; ++i) total += tiles[stage][threadIdx.x + 32 * i];  // <- parity_never_flips
      __syncwarp();
      if (threadIdx.x == 0) arrive(&empty[stage]);
    }
  }
  if (threadIdx.x < 32) out[threadIdx.x] = total;
}

const Case kCases[] = {
    {"arrives_too_often", [](bool f) { (f ? all_warps_report<true> : all_warps_report<false>)<<<1, 128>>>(zeros<int>(128)); }},
    {"parity_never_flips", [](bool f) { (f ? three_passes<true> : three_passes<false>)<<<1, 64>>>(numbers<float>(1536), zeros<float>(32)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
