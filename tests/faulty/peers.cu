// Kernels of two devices that exchange data and flags through peer access. The program asks for two virtual devices
// itself.
#include "faulty.h"

constexpr int kElements = 1024, kThreads = 256;

__device__ void set_flag(unsigned* flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ unsigned read_flag(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
__device__ void wait_for(const unsigned* flag, unsigned value) {
  while (read_flag(flag) < value) {
  }
}

// What a kernel gets: both devices' buffers and flags.
struct Ranks {
  int* data[2];
  int* out[2];
  unsigned* flags[2];
};

// All threads of the block have done their part, then one of them sets the flag.
__device__ void all_then_flag(unsigned* flag, unsigned value) {
  __syncthreads();
  if (threadIdx.x == 0) set_flag(flag, value);
}
__device__ void flag_then_all(const unsigned* flag, unsigned value) {
  if (threadIdx.x == 0) wait_for(flag, value);
  __syncthreads();
}

// case peer_not_awaited: race
// cause peer_not_awaited: peer_not_ordered
// says peer_not_awaited: on device 1
template <bool kFixed>
__global__ void push(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;
    all_then_flag(ranks.flags[1], 1);
  } else {
    if (kFixed) flag_then_all(ranks.flags[1], 1);
    ranks.out[1][i] = ranks.data[1][i];  // <- peer_not_awaited
  }
}

// case peer_flag_before_data: race
// cause peer_flag_before_data: peer_written_after_flag
template <bool kFixed>
__global__ void flag_first(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    if (!kFixed) all_then_flag(ranks.flags[1], 1);
    ranks.data[1][i] = i;  // <- peer_flag_before_data
    if (kFixed) all_then_flag(ranks.flags[1], 1);
  } else {
    flag_then_all(ranks.flags[1], 1);
    ranks.out[1][i] = ranks.data[1][i];
  }
}

// case peer_sync_missing: race
// cause peer_sync_missing: peer_written_after_flag
template <bool kFixed>
__global__ void without_sync(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;  // <- peer_sync_missing
    if (kFixed) __syncthreads();
    if (i == 0) set_flag(ranks.flags[1], 1);
  } else {
    flag_then_all(ranks.flags[1], 1);
    ranks.out[1][i] = ranks.data[1][i];
  }
}

// case peer_flag_not_released: race
// cause peer_flag_not_released: peer_flag_not_released
// says peer_flag_not_released: without a release
template <bool kFixed>
__global__ void relaxed_flag(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;  // <- peer_flag_not_released
    __syncthreads();
    if (kFixed) __threadfence_system();
    if (i == 0) *static_cast<volatile unsigned*>(ranks.flags[1]) = 1;
  } else {
    flag_then_all(ranks.flags[1], 1);
    ranks.out[1][i] = ranks.data[1][i];
  }
}

// case peer_flag_not_acquired: race
// cause peer_flag_not_acquired: peer_flag_not_acquired
// says peer_flag_not_acquired: without an acquire
template <bool kFixed>
__global__ void relaxed_wait(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;
    all_then_flag(ranks.flags[1], 1);
  } else {
    const volatile unsigned* flag = ranks.flags[1];
    while (*flag == 0) {
    }
    if (kFixed) __threadfence_system();
    ranks.out[1][i] = ranks.data[1][i];  // <- peer_flag_not_acquired
  }
}

// case peer_device_scope: race
// cause peer_device_scope: peer_flag_scope
template <bool kFixed>
__global__ void device_scope(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;
    __syncthreads();
    if (kFixed)
      __threadfence_system();
    else
      __threadfence();
    if (i == 0) atomicAdd_system(ranks.flags[1], 1u);
  } else {
    flag_then_all(ranks.flags[1], 1);
    ranks.out[1][i] = ranks.data[1][i];  // <- peer_device_scope
  }
}

// case peer_atomic_scope: race
// cause peer_atomic_scope: peer_flag_scope
template <bool kFixed>
__global__ void count_both(Ranks ranks, int) {
  if (kFixed)
    atomicAdd_system(ranks.flags[0], 1u);
  else
    atomicAdd(ranks.flags[0], 1u);  // <- peer_atomic_scope
}

// case peer_buffer_reused: race
// cause peer_buffer_reused: peer_written_after_flag
// says peer_buffer_reused: until all peers have read the old data
// The reader says that the buffer is free before it has read it.
template <bool kFixed>
__global__ void two_steps(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  for (unsigned step = 1; step <= 2; ++step) {
    if (rank == 0) {
      flag_then_all(ranks.flags[0], step - 1);
      ranks.data[1][i] = i + static_cast<int>(step);  // <- peer_buffer_reused
      all_then_flag(ranks.flags[1], step);
    } else {
      flag_then_all(ranks.flags[1], step);
      if (!kFixed) all_then_flag(ranks.flags[0], step);
      ranks.out[1][i] = ranks.data[1][i];
      if (kFixed) all_then_flag(ranks.flags[0], step);
    }
  }
}

// case peer_two_writes: race
// cause peer_two_writes: peer_two_writes
template <bool kFixed>
__global__ void both_write(Ranks ranks, int rank) {
  ranks.data[1][kFixed ? rank * kThreads + threadIdx.x : threadIdx.x] = rank;  // <- peer_two_writes
}

// case peer_plain_flag: race
// cause peer_plain_flag: peer_plain_flag
template <bool kFixed>
__global__ void plain_flag(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;
    __syncthreads();
    __threadfence_system();
    if (i == 0 && kFixed) set_flag(ranks.flags[1], 1);
    if (i == 0 && !kFixed) *ranks.flags[1] = 1;  // <- peer_plain_flag
  } else {
    flag_then_all(ranks.flags[1], 1);
    ranks.out[1][i] = ranks.data[1][i];
  }
}

// case peer_plain_look: race
// cause peer_plain_look: peer_plain_flag
template <bool kFixed>
__global__ void plain_look(Ranks ranks, int rank) {
  if (rank == 0)
    set_flag(ranks.flags[1], 1);
  else if (kFixed)
    ranks.out[1][0] = static_cast<int>(read_flag(ranks.flags[1]));
  else
    ranks.out[1][0] = static_cast<int>(*ranks.flags[1]);  // <- peer_plain_look
}

// case peer_acquire_scope: race
// cause peer_acquire_scope: peer_flag_scope
__device__ unsigned read_flag_of_device(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");  // <- peer_acquire_scope
  return value;
}
template <bool kFixed>
__global__ void device_acquire(Ranks ranks, int rank) {
  const int i = threadIdx.x;
  if (rank == 0) {
    ranks.data[1][i] = i;
    all_then_flag(ranks.flags[1], 1);
  } else {
    while ((kFixed ? read_flag(ranks.flags[1]) : read_flag_of_device(ranks.flags[1])) == 0) {
    }
    ranks.out[1][i] = ranks.data[1][i];
  }
}

// Each waits for the other before it sets its own flag.
// case peer_deadlock: deadlock
// says peer_deadlock: in the memory of device
// says peer_deadlock: no running kernel has set it
// says peer_deadlock: and in
template <bool kFixed>
__global__ void cross_wait(Ranks ranks, int rank) {
  if (kFixed) set_flag(ranks.flags[1 - rank], 1);
  const volatile unsigned* const own = ranks.flags[rank];
  while (*own == 0) {}  // <- peer_deadlock
  set_flag(ranks.flags[1 - rank], 1);
}

// The kernel that waits ends, and a later one of its stream reads the data.
// case peer_wait_of_earlier_kernel: race
// cause peer_wait_of_earlier_kernel: peer_not_ordered
template <bool kFixed>
__global__ void store_or_wait(Ranks ranks, int rank) {
  if (rank == 0) {
    ranks.data[1][threadIdx.x] = 1;
    all_then_flag(ranks.flags[1], 1);
  } else if (kFixed && threadIdx.x == 0) {
    wait_for(ranks.flags[1], 1);
  }
}
__global__ void read_data(Ranks ranks) {
  ranks.out[1][threadIdx.x] = ranks.data[1][threadIdx.x];  // <- peer_wait_of_earlier_kernel
}

template <class Kernel>
void run_on_both(Kernel kernel, int threads = kThreads, bool reads_later = false) {
  Ranks ranks{};
  cudaStream_t streams[2];
  for (int rank = 0; rank < 2; ++rank) {
    must(cudaSetDevice(rank), "cudaSetDevice");
    must(cudaDeviceEnablePeerAccess(1 - rank, 0), "cudaDeviceEnablePeerAccess");
    must(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking), "cudaStreamCreate");
    ranks.data[rank] = zeros<int>(kElements);
    ranks.out[rank] = zeros<int>(kElements);
    ranks.flags[rank] = zeros<unsigned>(32);
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  for (int rank = 0; rank < 2; ++rank) {
    must(cudaSetDevice(rank), "cudaSetDevice");
    kernel<<<1, threads, 0, streams[rank]>>>(ranks, rank);
    must(cudaGetLastError(), "launch");
  }
  if (reads_later) read_data<<<1, threads, 0, streams[1]>>>(ranks);
  for (int rank = 0; rank < 2; ++rank) must(cudaStreamSynchronize(streams[rank]), "cudaStreamSynchronize");
}

int main(int argc, char** argv) {
  setenv("RIDGE_DEVICES", "2", 1);
  const Case cases[] = {
      {"peer_not_awaited", [](bool fixed) { run_on_both(fixed ? push<true> : push<false>); }},
      {"peer_flag_before_data", [](bool fixed) { run_on_both(fixed ? flag_first<true> : flag_first<false>); }},
      {"peer_sync_missing", [](bool fixed) { run_on_both(fixed ? without_sync<true> : without_sync<false>); }},
      {"peer_flag_not_released", [](bool fixed) { run_on_both(fixed ? relaxed_flag<true> : relaxed_flag<false>); }},
      {"peer_flag_not_acquired", [](bool fixed) { run_on_both(fixed ? relaxed_wait<true> : relaxed_wait<false>); }},
      {"peer_device_scope", [](bool fixed) { run_on_both(fixed ? device_scope<true> : device_scope<false>); }},
      {"peer_atomic_scope", [](bool fixed) { run_on_both(fixed ? count_both<true> : count_both<false>, 1); }},
      {"peer_buffer_reused", [](bool fixed) { run_on_both(fixed ? two_steps<true> : two_steps<false>); }},
      {"peer_two_writes", [](bool fixed) { run_on_both(fixed ? both_write<true> : both_write<false>); }},
      {"peer_plain_flag", [](bool fixed) { run_on_both(fixed ? plain_flag<true> : plain_flag<false>); }},
      {"peer_plain_look", [](bool fixed) { run_on_both(fixed ? plain_look<true> : plain_look<false>, 1); }},
      {"peer_acquire_scope", [](bool fixed) { run_on_both(fixed ? device_acquire<true> : device_acquire<false>); }},
      {"peer_wait_of_earlier_kernel",
       [](bool fixed) { run_on_both(fixed ? store_or_wait<true> : store_or_wait<false>, kThreads, true); }},
      {"peer_deadlock", [](bool fixed) { run_on_both(fixed ? cross_wait<true> : cross_wait<false>, 1); }},
  };
  return run_cases(cases, argc, argv);
}
