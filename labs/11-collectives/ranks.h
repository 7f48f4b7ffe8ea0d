// Lab 11: several GPUs work together. Each function of the lab gets the memory and the streams of
// all of them, queues its work, and returns; it does not wait.
//
// Rank r is device r. Every pointer is valid in kernels of every device: a load or a store to the
// memory of another one crosses a link. Inputs are ready on all devices for what the function
// queues in the streams: the work before it there may still write them. Output r must be complete
// for whatever follows in streams[r], for example a kernel that reads it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

constexpr int kMostRanks = 8;
constexpr int kSignals = 2048;  // 4-byte words of one signal area

struct Ranks {
  int count;                        // of ranks: 2 to kMostRanks
  const float* inputs[kMostRanks];  // [rank]: an array in the memory of that device
  float* outputs[kMostRanks];
  unsigned* signals[kMostRanks];     // kSignals words each, all 0 at the call; for that call only
  cudaStream_t streams[kMostRanks];  // of that device; cudaSetDevice(r) before a launch into it
};

// The rank after this one, and the one before it: the ranks form a ring.
__host__ __device__ inline int next_of(int rank, int count) {
  return rank + 1 == count ? 0 : rank + 1;
}
__host__ __device__ inline int previous_of(int rank, int count) {
  return rank == 0 ? count - 1 : rank - 1;
}

// An event in streams[rank], behind what is queued there now; it replaces the rank's earlier one.
inline cudaEvent_t mark(const Ranks& ranks, int rank) {
  static cudaEvent_t events[kMostRanks];  // [rank], made at the first use
  cudaSetDevice(rank);
  if (events[rank] == nullptr) cudaEventCreateWithFlags(&events[rank], cudaEventDisableTiming);
  cudaEventRecord(events[rank], ranks.streams[rank]);
  return events[rank];
}

// What is queued in streams[waiting] from now on begins after what is in streams[awaited] now.
inline void let_wait(const Ranks& ranks, int waiting, int awaited) {
  cudaStreamWaitEvent(ranks.streams[waiting], mark(ranks, awaited), 0);
}

__device__ inline float plus(float a, float b) {
  return a + b;
}
__device__ inline float4 plus(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Behind the signals of a rank, all 0 at the call like them, in rungs 2, 4 and 6 only: in rung 2
// room for count * n floats, in rungs 4 and 6 for count times as many packets of 16 bytes as the
// message has words of 8 bytes; in rung 6 only for messages of up to 1 MiB.
__host__ __device__ inline float* room_of(const Ranks& ranks, int rank) {
  return reinterpret_cast<float*>(ranks.signals[rank] + kSignals);
}

// Sets a signal, also in the memory of another device. What this thread has written or seen before
// (behind a __syncthreads(): what its block has) comes before it.
__device__ inline void set_signal(unsigned* signal, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(signal), "r"(value) : "memory");
}
// What this thread reads afterwards comes after what was written before the value was set.
__device__ inline unsigned get_signal(const unsigned* signal) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(signal) : "memory");
  return value;
}

// Rung 1: outputs[next of r] = inputs[r], n floats each.
extern "C" void peer_copy(Ranks ranks, int n);
// Rung 2, two collectives with streams and signal areas in common, and data of their own:
//     gather.outputs[r][s * n + i] = gather.inputs[s][i]                         for all ranks s
//     scatter.outputs[r][i] = the sum over all ranks s of scatter.inputs[s][r * n + i]
extern "C" void gather_and_scatter(Ranks gather, Ranks scatter, int n);
// Rungs 3 and 4: outputs[r][i] = the sum over all ranks s of inputs[s][i], the same bits on each
// rank.
extern "C" void all_reduce(Ranks ranks, int n);
// Rung 6: the same for n elements of 4 bytes (float) or of 2 bytes (__nv_bfloat16: the pointers are
// to those), added in float32 and rounded once.
extern "C" void all_reduce_any(Ranks ranks, int n, int bytes);

// Rung 7: of[s][d] is the number of rows that rank s sends to rank d; of[s] is in the memory of
// device s, and the host does not know its values.
struct CountsOfRanks {
  const int64_t* of[kMostRanks];
};
// Rows have `width` floats, a multiple of 4. dispatch.inputs[s]: the rows of rank s, `tokens` of
// them, those for rank 0 first, then those for rank 1, ... dispatch.outputs[d]: what rank d gets,
// the rows of rank 0 first. combine.inputs[d] and combine.outputs[s] are in the same orders: the
// way back. Both have streams and signal areas in common.
extern "C" void dispatch_and_combine(Ranks dispatch, Ranks combine, CountsOfRanks counts,
                                     int tokens, int width);
