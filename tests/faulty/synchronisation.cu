// Barriers and masks that do not fit the threads that come to them.
#include "faulty.h"

// case divergent_barrier: barrier
// cause divergent_barrier: barrier_missed
template <bool kFixed>
__global__ void half_waits(const float* in, float* out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (kFixed || t < 40) __syncthreads();  // <- divergent_barrier
  out[t] = s[t];
}

// case early_return: barrier
// cause early_return: barrier_missed
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
    out[t] = __ballot_sync(kFixed ? 0x0000ffffu : 0xffffffffu, in[t] > 4);  // <- mask_names_lanes_that_never_come, by clang
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

// case count_of_half_a_warp: barrier
template <bool kFixed>
__global__ void named_barrier(const float* in, float* out, int threads) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  asm volatile("bar.sync 1, %0;" ::"r"(kFixed ? 64 : threads) : "memory");  // <- count_of_half_a_warp
  out[t] = s[63 - t];
}

// case two_counts_at_a_barrier: barrier
template <bool kFixed>
__global__ void producer_and_consumer(const float* in, float* out) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = in[t];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, %0;" ::"n"(kFixed ? 64 : 32) : "memory");  // <- two_counts_at_a_barrier
    out[t - 32] = s[t - 32];
  }
}

// case matrix_product_in_half_a_warp: barrier
template <bool kFixed>
__global__ void half_a_product(float* out) {
  const int t = threadIdx.x;
  float d[4] = {};
  if (kFixed || t < 16) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"  // <- matrix_product_in_half_a_warp, by clang
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0x3c003c00));  // <- matrix_product_in_half_a_warp
  }
  __syncthreads();
  out[t] = d[0] + d[1] + d[2] + d[3];
}

const Case kCases[] = {
    {"divergent_barrier", [](bool f) { (f ? half_waits<true> : half_waits<false>)<<<1, 64>>>(numbers<float>(64), zeros<float>(64)); }},
    {"early_return", [](bool f) { (f ? guard_returns<true> : guard_returns<false>)<<<2, 128>>>(numbers<float>(200), zeros<float>(200), 200); }},
    {"mask_without_self", [](bool f) { (f ? upper_half<true> : upper_half<false>)<<<1, 32>>>(numbers<float>(32), zeros<float>(32)); }},
    {"mask_names_lanes_that_never_come", [](bool f) { (f ? some_vote<true> : some_vote<false>)<<<1, 32>>>(numbers<int>(32), zeros<int>(32)); }},
    {"count_of_half_a_warp", [](bool f) { (f ? named_barrier<true> : named_barrier<false>)<<<1, 64>>>(numbers<float>(64), zeros<float>(64), 48); }},
    {"two_counts_at_a_barrier", [](bool f) { (f ? producer_and_consumer<true> : producer_and_consumer<false>)<<<1, 64>>>(numbers<float>(32), zeros<float>(32)); }},
    {"matrix_product_in_half_a_warp", [](bool f) { (f ? half_a_product<true> : half_a_product<false>)<<<1, 32>>>(zeros<float>(32)); }},
    {"blocks_wait_for_each_other", [](bool f) { (f ? wait_for_each_other<true> : wait_for_each_other<false>)<<<2, 32>>>(zeros<int>(2)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
