// Plain accesses beside atomics to the same word.
#include "faulty.h"

// case reset_beside_atomics: race
template <bool kFixed>
__global__ void count_in_shared(const int* in, int* out) {
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  if (kFixed) __syncthreads();
  atomicAdd(&total, in[t]);  // <- reset_beside_atomics
  __syncthreads();
  if (t == 0) *out = total;
}

// case total_read_beside_atomics: race
template <bool kFixed>
__global__ void read_in_shared(const int* in, int* out) {
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[t]);
  if (kFixed) __syncthreads();
  out[t] = total;  // <- total_read_beside_atomics
}

// case blocks_store_beside_atomics: race
template <bool kFixed>
__global__ void count_in_global(const int* in, int* total) {
  const int t = threadIdx.x;
  if (!kFixed && t == 0 && blockIdx.x == 0) *total = 5;
  atomicAdd(total, in[t]);  // <- blocks_store_beside_atomics
}

// Looking first saves the atomic most of the time, and a flag that is polled is volatile.
// case habits_that_do_no_harm: race
template <bool kFixed>
__global__ void habits(const int* in, int* best, int* out) {
  __shared__ int most, ready;
  const int t = threadIdx.x;
  if (t == 0) most = 0, ready = 0;
  __syncthreads();
  if (most < in[t]) atomicMax(&most, in[t]);
  if (*best < in[t]) atomicMax(best, in[t]);
  if (t == 33) {
    *const_cast<volatile int*>(&ready) = 1;
  } else if (t < 32) {
    while (*const_cast<volatile int*>(&ready) == 0) {
    }
  }
  if (kFixed) __syncthreads();
  out[t] = most;  // <- habits_that_do_no_harm
}

const Case kCases[] = {
    {"reset_beside_atomics", [](bool f) { (f ? count_in_shared<true> : count_in_shared<false>)<<<1, 64>>>(numbers<int>(64), zeros<int>(1)); }},
    {"total_read_beside_atomics", [](bool f) { (f ? read_in_shared<true> : read_in_shared<false>)<<<1, 64>>>(numbers<int>(64), zeros<int>(64)); }},
    {"blocks_store_beside_atomics", [](bool f) { (f ? count_in_global<true> : count_in_global<false>)<<<4, 32>>>(numbers<int>(64), zeros<int>(1)); }},
    {"habits_that_do_no_harm", [](bool f) { (f ? habits<true> : habits<false>)<<<2, 64>>>(numbers<int>(64), zeros<int>(1), zeros<int>(64)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
