// Barriers and masks that do not fit the threads that come to them.
#include "faulty.h"

// case divergent_barrier: barrier
template <bool kFixed>
__global__ void half_waits(const float* in, float* out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (kFixed || t < 40) __syncthreads();  // <- divergent_barrier
  out[t] = s[t];
}

// case early_return: barrier
template <bool kFixed>
__global__ void guard_returns(const float* in, float* out, int n) {
  __shared__ float s[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (!kFixed && i >= n) return;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();  // <- early_return
  if (i < n) out[i] = s[t] + s[0];
}

// case mask_without_self: barrier
template <bool kFixed>
__global__ void upper_half(const float* in, float* out) {
  const int t = threadIdx.x;
  float v = in[t];
  if (t >= 16) v += __shfl_xor_sync(kFixed ? 0xffff0000u : 0x0000ffffu, v, 1);  // <- mask_without_self
  out[t] = v;
}

// case mask_names_lanes_that_never_come: barrier
template <bool kFixed>
__global__ void some_vote(const int* in, int* out) {
  const int t = threadIdx.x;
  if (t < 16)
    out[t] = __ballot_sync(kFixed ? 0x0000ffffu : 0xffffffffu, in[t] > 4);
  __syncthreads();  // <- mask_names_lanes_that_never_come
  out[t] += 1;
}

// case blocks_wait_for_each_other: deadlock
template <bool kFixed>
__global__ void wait_for_each_other(int* flags) {
  if (threadIdx.x != 0) return;
  const int me = blockIdx.x;
  if (kFixed) atomicExch(&flags[me], 1);
  while (atomicAdd(&flags[1 - me], 0) == 0) {  // <- blocks_wait_for_each_other
  }
  if (!kFixed) atomicExch(&flags[me], 1);
}

const Case kCases[] = {
    {"divergent_barrier", [](bool f) { (f ? half_waits<true> : half_waits<false>)<<<1, 64>>>(numbers<float>(64), zeros<float>(64)); }},
    {"early_return", [](bool f) { (f ? guard_returns<true> : guard_returns<false>)<<<2, 128>>>(numbers<float>(200), zeros<float>(200), 200); }},
    {"mask_without_self", [](bool f) { (f ? upper_half<true> : upper_half<false>)<<<1, 32>>>(numbers<float>(32), zeros<float>(32)); }},
    {"mask_names_lanes_that_never_come", [](bool f) { (f ? some_vote<true> : some_vote<false>)<<<1, 32>>>(numbers<int>(32), zeros<int>(32)); }},
    {"blocks_wait_for_each_other", [](bool f) { (f ? wait_for_each_other<true> : wait_for_each_other<false>)<<<2, 32>>>(zeros<int>(2)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
