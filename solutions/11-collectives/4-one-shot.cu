// All-reduce in one step, for small messages: data and flag in one store.
//
// Hypothesis: a small all-reduce takes as long as its steps, not its bytes. With everything sent to
// everybody there is one step, and with the flag beside the data it is one way across a link. What
// changed: no ring, no barrier, no release: each thread sends its packet to all and waits for the
// same packet of all others. Every rank adds for itself, in the order of the ranks. And the kernel
// begins under the one ahead of it in its stream, so that its start is not between two calls. What
// that bought: one way across a link instead of 2 (count - 1), for count - 1 times as many bytes,
// doubled by the flags; and of calls in a row each costs little more than that way.
//
//     ./ridge grade 11-collectives/4-one-shot --solution
#include "early_start.h"
#include "packets.h"
#include "ranks.h"

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 64;

// Where the packets of rank `from` arrive in the memory of rank `to`.
__device__ Packet* place_of(const Ranks& ranks, int to, int from, int packets) {
  return reinterpret_cast<Packet*>(room_of(ranks, to)) + static_cast<size_t>(from) * packets;
}

__device__ float2 wait_for_packet(const Packet* packet) {
  Packet got;
  do {
    got = load_packet(packet);
  } while (got.first_flag == 0 || got.second_flag == 0);
  return {got.first, got.second};
}

// Begins early: until the work ahead of it in the stream has ended it fetches what it will load,
// and what others will store, into L2. The kernel behind it may do the same at once.
__device__ void wait_for_turn(const Ranks& ranks, int rank, int packets, int first) {
  cudaTriggerProgrammaticLaunchCompletion();
  if (first < packets) {
    fetch_line(ranks.inputs[rank] + 2 * first);
    for (int from = 0; from < ranks.count; ++from)
      if (from != rank) fetch_line(place_of(ranks, rank, from, packets) + first);
  }
  cudaGridDependencySynchronize();
}

__global__ void __launch_bounds__(kThreads)
    one_shot(const __grid_constant__ Ranks ranks, int rank, int n) {
  const float* const input = ranks.inputs[rank];  // [n]
  float* const output = ranks.outputs[rank];      // [n]
  const int packets = (n + 1) / 2, first = blockIdx.x * kThreads + threadIdx.x;
  wait_for_turn(ranks, rank, packets, first);
  for (int p = first; p < packets; p += gridDim.x * kThreads) {
    const bool has_second = 2 * p + 1 < n;
    const float2 own = {input[2 * p], has_second ? input[2 * p + 1] : 0};
    for (int other = 0; other < ranks.count; ++other)
      if (other != rank) store_packet(place_of(ranks, other, rank, packets) + p, own);
    float2 sum = {};
    for (int from = 0; from < ranks.count; ++from) {  // the same order on every rank
      const float2 data =
          from == rank ? own : wait_for_packet(place_of(ranks, rank, from, packets) + p);
      sum.x += data.x;
      sum.y += data.y;
    }
    output[2 * p] = sum.x;
    if (has_second) output[2 * p + 1] = sum.y;
  }
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  const int blocks = min(((n + 1) / 2 + kThreads - 1) / kThreads, kMostBlocks);
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    launch_early(one_shot, blocks, kThreads, ranks.streams[rank], ranks, rank, n);
  }
}
