// Races between blocks, and between the threads of one, in global memory.
#include <cooperative_groups.h>

#include "faulty.h"

// case in_place_shift: race
template <bool kFixed>
__global__ void shift(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i] = in[i + 1];  // <- in_place_shift
}

// case in_place_stencil: race
template <bool kFixed>
__global__ void smooth(float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;  // <- in_place_stencil
}

// Keeps what is not like its neighbour before it, in place: each block reads the last element of the block before, which
// that block may have written. Where everything is kept, it wrote what was there (thrust::unique does so).
// case in_place_compaction: race
template <bool kFixed>
__global__ void keep_distinct(int* a, const int* dropped) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int mine = a[i], before = i == 0 ? -1 : a[i - 1];
  __syncthreads();
  if (mine != before) a[i - dropped[blockIdx.x]] = mine;  // <- in_place_compaction
}

// case blocks_write_the_same: race
template <bool kFixed>
__global__ void overlapping(int* out) {
  const int i = (kFixed ? blockIdx.x * 256 : blockIdx.x * 255) + threadIdx.x;
  out[i] = static_cast<int>(threadIdx.x);  // <- blocks_write_the_same
}

// One word in a row that another block writes with whole vectors.
// case word_in_anothers_row: race
template <bool kFixed>
__global__ void rows_of_vectors(float4* rows, float* extra) {
  if (blockIdx.x == 0 && threadIdx.x == 0) (kFixed ? extra : reinterpret_cast<float*>(rows))[128 + 5] = -1;
  rows[blockIdx.x * 32 + threadIdx.x] = make_float4(1, 2, 3, 4);  // <- word_in_anothers_row
}

// case global_sum_without_atomics: race
// says global_sum_without_atomics: use atomicAdd where threads add to one element
template <bool kFixed>
__global__ void count(const int* in, int* total) {
  const int v = in[blockIdx.x * 32 + threadIdx.x];
  const int sum = __reduce_add_sync(0xffffffffu, v);
  if (threadIdx.x != 0) return;
  if (kFixed)
    atomicAdd(total, sum);
  else
    *total += sum;  // <- global_sum_without_atomics
}

// case flag_without_fence: race
// says flag_without_fence: put a __threadfence() between the data and the flag
template <bool kFixed>
__global__ void last_block(const float* in, float* partial, float* out, int* arrived) {
  __shared__ bool is_last;
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += in[blockIdx.x * 64 + i];
    partial[blockIdx.x] = sum;
    if (kFixed) __threadfence();
    // Block 0 arrives first: were it the last, the line told would be the others' store and not its load.
    while (blockIdx.x != 0 && atomicAdd(arrived, 0) == 0) {
    }
    is_last = atomicAdd(arrived, 1) == static_cast<int>(gridDim.x) - 1;
  }
  __syncthreads();
  if (!is_last) return;
  s[t] = t < gridDim.x ? partial[t] : 0;  // <- flag_without_fence
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    *out = sum;
  }
}

// case flag_released_to_its_block_only: race
// Release and acquire of .cta scope order the threads of one block; these are of two.
template <bool kFixed>
__global__ void hands_over(float* data, float* out, int* flag) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    __syncthreads();
    if (t == 0 && kFixed) asm volatile("st.release.gpu.global.b32 [%0], 1;" ::"l"(flag) : "memory");
    if (t == 0 && !kFixed) asm volatile("st.release.cta.global.b32 [%0], 1;" ::"l"(flag) : "memory");
    return;
  }
  int seen = 0;
  while (t == 0 && seen == 0) {
    if (kFixed)
      asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    else
      asm volatile("ld.acquire.cta.global.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  }
  __syncthreads();
  out[t] = data[t];  // <- flag_released_to_its_block_only
}

// case grid_barrier_by_hand: race
// A barrier of the whole grid that counts blocks and forgets the fences.
template <bool kFixed>
__global__ void two_phases(int* a, int* b, unsigned* arrived) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;
  if (kFixed) {
    cooperative_groups::this_grid().sync();
  } else {
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(arrived, 1u);
      while (atomicAdd(arrived, 0u) < gridDim.x) {
      }
    }
    __syncthreads();
  }
  b[i] = a[n - 1 - i];  // <- grid_barrier_by_hand
}

// case lock_without_fence: race
template <bool kFixed>
__global__ void under_a_lock(int* lock, int* value) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (kFixed) __threadfence();
  *value = *value + 1;  // <- lock_without_fence
  if (kFixed) __threadfence();
  atomicExch(lock, 0);
}

// case block_rereads_without_barrier: race
template <bool kFixed>
__global__ void through_global(const int* in, int* scratch, int* out) {
  const int t = threadIdx.x;
  scratch[t] = in[t] * 2;  // <- block_rereads_without_barrier
  if (kFixed) __syncthreads();
  out[t] = scratch[255 - t];
}

// case global_histogram_without_atomics: race
template <bool kFixed>
__global__ void histogram(const int* in, int* bins) {
  const int v = in[blockIdx.x * 64 + threadIdx.x];
  if (kFixed)
    atomicAdd(&bins[v], 1);
  else
    bins[v] += 1;  // <- global_histogram_without_atomics
}

// case reads_next_blocks_result: race
template <bool kFixed>
__global__ void neighbours(const int* in, int* out, int* sums) {
  const int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  out[b] = in[b] * 3;
  if (b > 0) sums[b] = kFixed ? in[b - 1] * 3 : out[b - 1];  // <- reads_next_blocks_result
}

static int* ints(int n) { return numbers<int>(n); }

const Case kCases[] = {
    {"flag_released_to_its_block_only", [](bool f) { (f ? hands_over<true> : hands_over<false>)<<<2, 64>>>(zeros<float>(64), zeros<float>(64), zeros<int>(1)); }},
    {"in_place_shift", [](bool f) {
       int* a = ints(1024);
       (f ? shift<true> : shift<false>)<<<4, 256>>>(a, f ? zeros<int>(1024) : a, 1024);
     }},
    {"in_place_stencil", [](bool f) {
       float* a = numbers<float>(1024);
       (f ? smooth<true> : smooth<false>)<<<4, 256>>>(a, f ? zeros<float>(1024) : a, 1024);
     }},
    {"in_place_compaction", [](bool f) {
       (f ? keep_distinct<true> : keep_distinct<false>)<<<4, 256>>>(numbers<int>(1024), f ? zeros<int>(4) : numbers<int>(4));
     }},
    {"blocks_write_the_same", [](bool f) { (f ? overlapping<true> : overlapping<false>)<<<4, 256>>>(zeros<int>(1024)); }},
    {"word_in_anothers_row", [](bool f) {
       (f ? rows_of_vectors<true> : rows_of_vectors<false>)<<<4, 32>>>(zeros<float4>(128), zeros<float>(256));
     }},
    {"global_sum_without_atomics", [](bool f) { (f ? count<true> : count<false>)<<<8, 32>>>(ints(256), zeros<int>(1)); }},
    {"flag_without_fence", [](bool f) {
       (f ? last_block<true> : last_block<false>)<<<16, 64>>>(numbers<float>(1024), zeros<float>(64), zeros<float>(1), zeros<int>(1));
     }},
    {"grid_barrier_by_hand", [](bool f) {
       int *a = zeros<int>(512), *b = zeros<int>(512);
       unsigned* arrived = zeros<unsigned>(1);
       void* arguments[] = {&a, &b, &arrived};
       const void* kernel = f ? reinterpret_cast<const void*>(two_phases<true>) : reinterpret_cast<const void*>(two_phases<false>);
       must(cudaLaunchCooperativeKernel(kernel, 8, 64, arguments, 0, nullptr), "launch");
     }},
    {"lock_without_fence", [](bool f) { (f ? under_a_lock<true> : under_a_lock<false>)<<<8, 32>>>(zeros<int>(1), zeros<int>(1)); }},
    {"block_rereads_without_barrier", [](bool f) {
       (f ? through_global<true> : through_global<false>)<<<1, 256>>>(ints(256), zeros<int>(256), zeros<int>(256));
     }},
    {"global_histogram_without_atomics", [](bool f) { (f ? histogram<true> : histogram<false>)<<<16, 64>>>(ints(1024), zeros<int>(61)); }},
    {"reads_next_blocks_result", [](bool f) {
       (f ? neighbours<true> : neighbours<false>)<<<8, 32>>>(ints(64), zeros<int>(64), zeros<int>(64));
     }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
