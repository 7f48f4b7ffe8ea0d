// expect: WRONG
// The parts are those of the all-gather: a part ends at the rank before its owner.
#include "ranks.h"

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 132;

// to[i] = from[i] + added[i], and also[i] = the same. `added` and `also` may be nullptr. n
// elements.
template <typename Vector>
__global__ void __launch_bounds__(kThreads)
    relay(const Vector* from, const Vector* added, Vector* to, Vector* also, int n) {
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    Vector value = from[i];
    if (added != nullptr) value = plus(value, added[i]);
    to[i] = value;
    if (also != nullptr) also[i] = value;
  }
}

// One step of `rank`, in its stream. Arrays of n floats; 16 bytes per lane if all of them begin at
// multiples of 16 bytes, which they do if n is a multiple of 4.
void relay_on(const Ranks& ranks, int rank, const float* from, const float* added, float* to,
              float* also, int n) {
  cudaSetDevice(rank);
  const int elements = n % 4 == 0 ? n / 4 : n;
  const int blocks = min((elements + kThreads - 1) / kThreads, kMostBlocks);
  if (n % 4 == 0)
    relay<<<blocks, kThreads, 0, ranks.streams[rank]>>>(
        reinterpret_cast<const float4*>(from), reinterpret_cast<const float4*>(added),
        reinterpret_cast<float4*>(to), reinterpret_cast<float4*>(also), elements);
  else
    relay<<<blocks, kThreads, 0, ranks.streams[rank]>>>(from, added, to, also, elements);
}

// Every rank waits for the rank before it: for what that one has queued up to now.
void wait_for_previous(const Ranks& ranks) {
  cudaEvent_t marks[kMostRanks];
  for (int rank = 0; rank < ranks.count; ++rank)
    marks[rank] = mark(ranks, rank);
  for (int rank = 0; rank < ranks.count; ++rank)
    cudaStreamWaitEvent(ranks.streams[rank], marks[previous_of(rank, ranks.count)], 0);
}

// Where part `part` begins in an array of parts of n floats.
size_t part_start(int part, int n) {
  return static_cast<size_t>(part) * n;
}

void all_gather(const Ranks& ranks, int n) {
  const int count = ranks.count;
  for (int step = 0; step < count - 1; ++step) {
    if (step > 0) wait_for_previous(ranks);
    for (int rank = 0; rank < count; ++rank) {
      const int part = (rank - step + count) % count;  // its own part, then the one received last
      float* const own = ranks.outputs[rank] + part_start(part, n);
      float* const to = ranks.outputs[next_of(rank, count)] + part_start(part, n);
      relay_on(ranks, rank, step == 0 ? ranks.inputs[rank] : own, nullptr, to,
               step == 0 ? own : nullptr, n);
    }
  }
  wait_for_previous(ranks);
}

void reduce_scatter(const Ranks& ranks, int n) {
  const int count = ranks.count;
  for (int step = 0; step < count - 1; ++step) {
    if (step > 0) wait_for_previous(ranks);
    for (int rank = 0; rank < count; ++rank) {
      const int part = (rank - step + count) % count;
      const float* const input = ranks.inputs[rank] + part_start(part, n);
      const float* const got = room_of(ranks, rank) + part_start(part, n);
      relay_on(ranks, rank, input, step == 0 ? nullptr : got,
               room_of(ranks, next_of(rank, count)) + part_start(part, n), nullptr, n);
    }
  }
  wait_for_previous(ranks);
  for (int rank = 0; rank < count; ++rank)  // the own part: everybody else's sum has arrived
    relay_on(ranks, rank, ranks.inputs[rank] + part_start(rank, n),
             room_of(ranks, rank) + part_start(rank, n), ranks.outputs[rank], nullptr, n);
}

}  // namespace

extern "C" void gather_and_scatter(Ranks gather, Ranks scatter, int n) {
  all_gather(gather, n);
  reduce_scatter(scatter, n);
}
