// mbarriers that get more arrivals than their init said.
#include "faulty.h"
#include "hopper.h"

__device__ void initialise(unsigned long long* mbarrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(place_of(mbarrier)), "r"(count) : "memory");
}
__device__ void arrive(unsigned long long* mbarrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(mbarrier)) : "memory");  // <- arrives_too_often
}

// One thread announces bytes, which is an arrival, and another one arrives as well; init expects one.
// case arrives_too_often: barrier
// cause arrives_too_often: mbarrier_arrivals
// says arrives_too_often: at the mbarrier `full[1]`
// says arrives_too_often: init gave it 1
template <bool kFixed>
__global__ void two_arrive(const float* in, float* out) {
  __shared__ alignas(16) float tile[64];
  __shared__ unsigned long long full[3];
  if (threadIdx.x == 0)
    for (int i = 0; i < 3; ++i) initialise(&full[i], kFixed ? 2 : 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place_of(&full[1])) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(place_of(tile)), "l"(in), "r"(place_of(&full[1])) : "memory");
    arrive(&full[1]);
  }
  wait(place_of(&full[1]), 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

const Case kCases[] = {
    {"arrives_too_often", [](bool f) { (f ? two_arrive<true> : two_arrive<false>)<<<1, 64>>>(numbers<float>(64), zeros<float>(64)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
