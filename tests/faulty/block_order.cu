// Races between blocks that must be found in whichever order the blocks run: the read first or the write first,
// after barriers of the grid, with flags, with more than two readers.
#include <cooperative_groups.h>

#include "faulty.h"

// A barrier of the whole grid that counts arrivals and is never reset.
__device__ void grid_barrier(unsigned* arrived, unsigned number) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
    unsigned now;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
    } while (now < number * gridDim.x);
  }
  __syncthreads();
}

__device__ void set_flag(int* flag) {
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("st.release.gpu.global.b32 [%0], 1;" ::"l"(flag) : "memory");
}

__device__ void wait_for_flag(const int* flag) {
  int seen = 0;
  while (threadIdx.x == 0 && seen == 0)
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  __syncthreads();
}

// Long enough for other blocks to run.
__device__ void let_others_run() {
  for (int i = 0; i < 300; ++i) __syncthreads();
}

// Every block reads the element of the next one, which changes it in the same phase: some read first, others
// write first. The last block to arrive goes on first.
// case phase_without_grid_barrier: race
template <bool kFixed>
__global__ void phases(int* x, int* out, unsigned* arrived) {
  const int b = blockIdx.x, next = (b + 1) % gridDim.x;
  unsigned number = 0;
  if (threadIdx.x == 0) x[b] = b;
  for (int phase = 0; phase < 4; ++phase) {
    grid_barrier(arrived, ++number);
    int sum = 0;
    if (threadIdx.x == 0) sum = x[next] + phase;
    if (kFixed) grid_barrier(arrived, ++number);
    if (threadIdx.x == 0) x[b] = 10 * sum + b;  // <- phase_without_grid_barrier
  }
  if (threadIdx.x == 0) out[b] = x[b];
}

// The same with the barrier of cooperative groups.
// case phase_without_grid_sync: race
template <bool kFixed>
__global__ void synced_phases(int* x, int* out) {
  const auto grid = cooperative_groups::this_grid();
  const int b = blockIdx.x, next = (b + 1) % gridDim.x;
  if (threadIdx.x == 0) x[b] = b;
  for (int phase = 0; phase < 4; ++phase) {
    grid.sync();
    int sum = 0;
    if (threadIdx.x == 0) sum = x[next] + phase;
    if (kFixed) grid.sync();
    if (threadIdx.x == 0) x[b] = 10 * sum + b;  // <- phase_without_grid_sync
  }
  if (threadIdx.x == 0) out[b] = x[b];
}

// One of two blocks reads what the other one writes. The block that arrives last goes on first, so here it is the
// read that comes first in one case, and the write in the other.
// case first_block_reads_in_the_phase: race
// case last_block_reads_in_the_phase: race
template <bool kFixed, int kReader>
__global__ void one_reads(int* x, int* out, unsigned* arrived) {
  const bool reads = blockIdx.x == kReader;
  unsigned number = 0;
  for (int phase = 0; phase < 4; ++phase) {
    grid_barrier(arrived, ++number);
    if (threadIdx.x == 0 && reads) out[phase] = *x;  // <- last_block_reads_in_the_phase
    if (kFixed) grid_barrier(arrived, ++number);
    if (threadIdx.x == 0 && !reads) *x = phase + 1;  // <- first_block_reads_in_the_phase
  }
}

// A hundred blocks read a row; the last block waits for the flags of all but one of them, then writes it.
// case waits_for_all_readers_but_one: race
template <bool kFixed>
__global__ void many_readers(int* row, int* out, int* flags) {
  const int b = blockIdx.x, t = threadIdx.x, last = gridDim.x - 1;
  if (b < last) {
    out[b * 64 + t] = row[t];
    return set_flag(flags + b);
  }
  for (int i = 0; i < last; ++i)
    if (kFixed || i != 17) wait_for_flag(flags + i);
  row[t] = -1;  // <- waits_for_all_readers_but_one
}

// The same when the forgotten reader comes after the write.
// case reads_without_the_writers_flag: race
template <bool kFixed>
__global__ void late_reader(int* row, int* out, int* flags) {
  const int b = blockIdx.x, t = threadIdx.x;
  if (b == 0) {
    row[t] = -1;
    return set_flag(flags);
  }
  if (b != 17 || kFixed) wait_for_flag(flags);
  else let_others_run();
  out[b * 64 + t] = row[t];  // <- reads_without_the_writers_flag
}

// All blocks but the last add to a word; the last waits for all of them but one and sets the word to zero.
// case resets_beside_one_atomic: race
template <bool kFixed>
__global__ void reset_too_early(int* total, int* flags) {
  const int b = blockIdx.x, last = gridDim.x - 1;
  if (b < last) {
    if (threadIdx.x == 0) atomicAdd(total, b);
    return set_flag(flags + b);
  }
  for (int i = 0; i < last; ++i)
    if (kFixed || i != 1) wait_for_flag(flags + i);
  if (threadIdx.x == 0) *total = 0;  // <- resets_beside_one_atomic
}

// A producer hands over two values in one place and forgets to wait until the first was read: here the second is
// written before the consumer reads, in the next case after it has read.
// case overwrites_before_read: race
template <bool kFixed>
__global__ void hands_over_twice(int* value, int* out, int* flags) {
  if (blockIdx.x == 0) {
    wait_for_flag(flags);
    let_others_run();
    if (threadIdx.x == 0) out[0] = *value;
    set_flag(flags + 1);
    wait_for_flag(flags + 2);
    if (threadIdx.x == 0) out[1] = *value;
    return;
  }
  if (threadIdx.x == 0) *value = 1;
  set_flag(flags);
  if (kFixed) wait_for_flag(flags + 1);
  if (threadIdx.x == 0) *value = 2;  // <- overwrites_before_read
  set_flag(flags + 2);
}

// case overwrites_after_read: race
template <bool kFixed>
__global__ void hands_over_slowly(int* value, int* out, int* flags) {
  if (blockIdx.x == 0) {
    wait_for_flag(flags);
    if (threadIdx.x == 0) out[0] = *value;
    set_flag(flags + 1);
    wait_for_flag(flags + 2);
    if (threadIdx.x == 0) out[1] = *value;
    return;
  }
  if (threadIdx.x == 0) *value = 1;
  set_flag(flags);
  if (kFixed) wait_for_flag(flags + 1);
  else let_others_run();
  if (threadIdx.x == 0) *value = 2;  // <- overwrites_after_read
  set_flag(flags + 2);
}

// The first block reads a sum to which the others add.
// case sum_read_before_others_add: race
template <bool kFixed>
__global__ void read_then_add(float* sum, float* out) {
  if (blockIdx.x > 0 && threadIdx.x == 0) atomicAdd(sum, 1.0f);  // <- sum_read_before_others_add
  if (kFixed) cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = *sum;
}

// The last block does: in the order of the blocks it reads a complete sum.
// case sum_read_after_others_add: race
template <bool kFixed>
__global__ void add_then_read(float* sum, float* out) {
  const int last = gridDim.x - 1;
  if (blockIdx.x < last && threadIdx.x == 0) atomicAdd(sum, 1.0f);
  if (kFixed) cooperative_groups::this_grid().sync();
  if (blockIdx.x == last && threadIdx.x == 0) *out = *sum;  // <- sum_read_after_others_add
}

// Guesses that an atomic then replaces, and early ends, do no harm: the corrected twin has them, and blocks that
// exchange data under a lock.
// case guesses_that_do_no_harm: race
template <bool kFixed>
__global__ void guesses(float* sum, int* found, int* lock, int* value) {
  if (*found > 1000 || threadIdx.x != 0) return;
  if (*sum < 1e6f) atomicAdd(sum, 1.0f);
  atomicAdd(found, 1);
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (kFixed) __threadfence();
  *value = *value + 1;  // <- guesses_that_do_no_harm
  if (kFixed) __threadfence();
  atomicExch(lock, 0);
}

// Launches a kernel of `blocks` blocks that are all resident.
template <class... Parameters, class... Arguments>
void cooperate(void (*kernel)(Parameters...), int blocks, Arguments... arguments) {
  void* all[] = {&arguments...};
  must(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), blocks, 64, all, 0, nullptr), "launch");
}

const Case kCases[] = {
    {"phase_without_grid_barrier", [](bool f) { cooperate(f ? phases<true> : phases<false>, 4, zeros<int>(64), zeros<int>(64), zeros<unsigned>(1)); }},
    {"phase_without_grid_sync", [](bool f) { cooperate(f ? synced_phases<true> : synced_phases<false>, 4, zeros<int>(64), zeros<int>(64)); }},
    {"first_block_reads_in_the_phase", [](bool f) { cooperate(f ? one_reads<true, 0> : one_reads<false, 0>, 2, zeros<int>(1), zeros<int>(4), zeros<unsigned>(1)); }},
    {"last_block_reads_in_the_phase", [](bool f) { cooperate(f ? one_reads<true, 1> : one_reads<false, 1>, 2, zeros<int>(1), zeros<int>(4), zeros<unsigned>(1)); }},
    {"waits_for_all_readers_but_one", [](bool f) { (f ? many_readers<true> : many_readers<false>)<<<101, 64>>>(zeros<int>(64), zeros<int>(6464), zeros<int>(101)); }},
    {"reads_without_the_writers_flag", [](bool f) { (f ? late_reader<true> : late_reader<false>)<<<101, 64>>>(zeros<int>(64), zeros<int>(6464), zeros<int>(1)); }},
    {"resets_beside_one_atomic", [](bool f) { (f ? reset_too_early<true> : reset_too_early<false>)<<<4, 64>>>(zeros<int>(1), zeros<int>(4)); }},
    {"overwrites_before_read", [](bool f) { (f ? hands_over_twice<true> : hands_over_twice<false>)<<<2, 64>>>(zeros<int>(1), zeros<int>(2), zeros<int>(3)); }},
    {"overwrites_after_read", [](bool f) { (f ? hands_over_slowly<true> : hands_over_slowly<false>)<<<2, 64>>>(zeros<int>(1), zeros<int>(2), zeros<int>(3)); }},
    {"sum_read_before_others_add", [](bool f) { cooperate(f ? read_then_add<true> : read_then_add<false>, 4, zeros<float>(1), zeros<float>(1)); }},
    {"sum_read_after_others_add", [](bool f) { cooperate(f ? add_then_read<true> : add_then_read<false>, 4, zeros<float>(1), zeros<float>(1)); }},
    {"guesses_that_do_no_harm", [](bool f) { (f ? guesses<true> : guesses<false>)<<<8, 32>>>(zeros<float>(1), zeros<int>(1), zeros<int>(1), zeros<int>(1)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
