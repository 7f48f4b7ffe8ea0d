// A ring all-reduce over four devices (RIDGE_DEVICES=4, which this program asks for itself;
// elsewhere two to four GPUs with peer access): kernels that wait for each other's flags, on one
// host thread per launch.
#include <algorithm>

#include "check.h"

constexpr int kMaxRanks = 4, kThreads = 128, kBlocks = 3, kRounds = 3;
constexpr int kSlice = kBlocks * kThreads, kElements = kMaxRanks * kSlice;

struct Ring {
  const int* in;
  int *out, *next_out;
  unsigned *flags, *next_flags;
  int rank, ranks;
};

__device__ void tell(unsigned* flag, unsigned value) {
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ void await(const unsigned* flag, unsigned value) {
  unsigned seen = 0;
  while (threadIdx.x == 0 && seen < value)
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  __syncthreads();
}

// Each block reduces its elements of every slice; what others sent before is in `out`.
__global__ void all_reduce(Ring my, unsigned before) {
  unsigned *const arrived = my.flags + blockIdx.x, *const sent = my.next_flags + blockIdx.x;
  unsigned steps = before;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  for (int step = 0; step < my.ranks - 1; ++step) {
    const int at = (my.rank - step - 1 + my.ranks) % my.ranks * kSlice + i;
    if (step > 0) await(arrived, steps);
    my.next_out[at] = my.in[at] + (step > 0 ? my.out[at] : 0);
    tell(sent, ++steps);
  }
  await(arrived, steps);
  my.out[my.rank * kSlice + i] += my.in[my.rank * kSlice + i];
  for (int step = 0; step < my.ranks - 1; ++step) {
    const int at = (my.rank - step + my.ranks) % my.ranks * kSlice + i;
    if (step > 0) await(arrived, steps);
    my.next_out[at] = my.out[at];
    tell(sent, ++steps);
  }
  await(arrived, steps);
}

int main() {
  setenv("RIDGE_DEVICES", "4", 0);
  setenv("RIDGE_THREADS", "1", 0);
  int count = 0;
  check(cudaGetDeviceCount(&count), "count");
  const int ranks = std::min(count, kMaxRanks);
  if (ranks < 2) {
    printf("this program needs two to four devices\n");
    return 1;
  }
  Ring rings[kMaxRanks];
  int *in[kMaxRanks], *out[kMaxRanks];
  unsigned* flags[kMaxRanks];
  cudaStream_t streams[kMaxRanks];
  for (int rank = 0; rank < ranks; ++rank) {
    check(cudaSetDevice(rank), "set device");
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank) check(cudaDeviceEnablePeerAccess(peer, 0), "enable");
    check(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking), "stream");
    in[rank] = device_array<int>(kElements);
    out[rank] = device_array<int>(kElements);
    flags[rank] = device_array<unsigned>(kBlocks);
    int host[kElements];
    for (int i = 0; i < kElements; ++i) host[i] = i % 100 + 1000 * rank;
    check(cudaMemcpy(in[rank], host, sizeof host, cudaMemcpyHostToDevice), "copy");
    check(cudaMemset(flags[rank], 0, kBlocks * sizeof(unsigned)), "memset");
    check(cudaDeviceSynchronize(), "synchronize");
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const int next = (rank + 1) % ranks;
    rings[rank] = {in[rank], out[rank], out[next], flags[rank], flags[next], rank, ranks};
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int rank = 0; rank < ranks; ++rank) {
      check(cudaSetDevice(rank), "set device");
      all_reduce<<<kBlocks, kThreads, 0, streams[rank]>>>(rings[rank], round * 2 * (ranks - 1));
      check(cudaGetLastError(), "launch");
    }
    // A round writes into buffers that the one before has read.
    for (int rank = 0; rank < ranks; ++rank) check(cudaStreamSynchronize(streams[rank]), "synchronize");
  }
  const int elements = ranks * kSlice, sum_of_ranks = 1000 * ranks * (ranks - 1) / 2;
  int wrong = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    int host[kElements];
    check(cudaMemcpy(host, out[rank], sizeof host, cudaMemcpyDeviceToHost), "copy");
    for (int i = 0; i < elements; ++i) wrong += host[i] != ranks * (i % 100) + sum_of_ranks;
  }
  printf("wrong elements: %d\n", wrong);
  return 0;
}
