// Shuffles that read from a lane which does not take part: the value is undefined, and told where it is used.
#include "faulty.h"

__device__ float warp_sum(float v, unsigned mask) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
  return v;
}

// Lane 0 sums lanes that have returned.
// case sum_after_early_return: uninitialised
// says sum_after_early_return: a value computed from what a shuffle gave it from lane 20, which had returned by then
template <bool kFixed>
__global__ void mean(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (!kFixed && i >= n) return;
  const float sum = warp_sum(kFixed && i >= n ? 0 : in[i], 0xffffffffu);
  if (i == 0) *out = sum / n;  // <- sum_after_early_return
}

// A block whose last warp is not full.
// case sum_of_a_warp_that_is_not_full: uninitialised
template <bool kFixed>
__global__ void block_sum(const float* in, float* out) {
  __shared__ float partial[2];
  const int t = threadIdx.x, lane = t % 32;
  float v = in[t];
  for (int d = 16; d > 0; d /= 2) {
    const float other = __shfl_down_sync(kFixed && t >= 32 ? 0xffffu : 0xffffffffu, v, d);
    if (!kFixed || t + d < 48) v += other;
  }
  if (lane == 0) partial[t / 32] = v;
  __syncthreads();
  if (t == 0) *out = partial[0] + partial[1];  // <- sum_of_a_warp_that_is_not_full
}

// The lane that is read from has taken the other way.
// case broadcast_from_the_other_way: uninitialised
// says broadcast_from_the_other_way: from lane 0, which the mask 0xffff0000 does not name
template <bool kFixed>
__global__ void broadcast(const int* in, int* out) {
  const int t = threadIdx.x;
  int first = in[t];
  if (kFixed) first = __shfl_sync(0xffffffffu, first, 0);
  if (t >= 16) {
    if (!kFixed) first = __shfl_sync(0xffff0000u, first, 0);
    out[t] = first + 1;  // <- broadcast_from_the_other_way
  }
}

// Used as an index, not stored.
// case index_from_nobody: uninitialised
template <bool kFixed>
__global__ void chase(const int* in, int* out) {
  const int t = threadIdx.x;
  if (t < 8) {
    const int next = __shfl_down_sync(0xffu, t, 1, kFixed ? 8 : 32);
    out[t] = in[next % 32];  // <- index_from_nobody
  }
}

// None of these uses what it got from a lane that does not take part.
// case partial_warps_done_well: uninitialised
// says partial_warps_done_well: from lane 30, which the mask 0x00ffffff does not name
template <bool kFixed>
__global__ void done_well(const float* in, float* out, int n) {
  const int t = threadIdx.x;
  if (t >= 24) return;
  const float mine = in[t];
  // A lane whose source is outside of its segment keeps its own value.
  float sum = mine + __shfl_up_sync(0x00ffffffu, mine, 1) + __shfl_down_sync(0x00ffffffu, mine, 1, 8);
  // What comes from lanes past the end is thrown away.
  const float right = __shfl_down_sync(0x00ffffffu, mine, 4);
  sum += t + 4 < 24 ? right : 0;
  if (t < 12) sum += __shfl_xor_sync(0x00000fffu, mine, 3);
  // The whole of it is unused.
  float unused = __shfl_sync(0x00ffffffu, mine, 30);
  if (n > 1000) sum += unused;
  if (!kFixed) sum += unused;
  out[t] = sum;  // <- partial_warps_done_well
}

const Case kCases[] = {
    {"sum_after_early_return", [](bool f) { (f ? mean<true> : mean<false>)<<<1, 32>>>(numbers<float>(32), zeros<float>(1), 20); }},
    {"sum_of_a_warp_that_is_not_full", [](bool f) { (f ? block_sum<true> : block_sum<false>)<<<1, 48>>>(numbers<float>(48), zeros<float>(1)); }},
    {"broadcast_from_the_other_way", [](bool f) { (f ? broadcast<true> : broadcast<false>)<<<1, 32>>>(numbers<int>(32), zeros<int>(32)); }},
    {"index_from_nobody", [](bool f) { (f ? chase<true> : chase<false>)<<<1, 32>>>(numbers<int>(32), zeros<int>(32)); }},
    {"partial_warps_done_well", [](bool f) { (f ? done_well<true> : done_well<false>)<<<1, 32>>>(numbers<float>(32), zeros<float>(32), 32); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
