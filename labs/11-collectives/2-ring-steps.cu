// All-gather and reduce-scatter in a ring: every link works in every step.
//
// all-gather:      each rank has n floats, and all ranks want all of them.
// reduce-scatter:  each rank has count * n floats; rank r wants the sum of all ranks' part r.
//
// In a ring, a rank sends to the next rank only, and count - 1 steps are enough. In each step every
// rank sends one part of n floats and gets another one, so every link is busy in both directions:
//
//     all-gather       step 0: each rank sends its own part. Then it passes on what it got in the
//                      step before. After count - 1 steps each part has been everywhere.
//     reduce-scatter   a part starts at the rank after its owner, and goes once around the ring.
//                      Each rank adds its own input and passes the sum on; the last one is the
//                      owner.
//
// The host plans it: `relay` below is a finished kernel that does one step of one rank. A step may
// begin when the part that it passes on has arrived: wait_for_previous() lets every stream wait for
// all that the stream of the rank before it has queued *at that time*.
//
// A sum on its way needs a place on each rank that it comes through: room_of(scatter, rank) has
// count * n floats, one place for each part. (With one place for all parts, the sender could write
// the next sum before the last one was read.)
//
//     ./ridge grade 11-collectives/2-ring-steps
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
  // TODO (about 13 lines): for each step, the relay of each rank to the same part of the next
  // rank's output. In step 0 a rank sends its input, and also stores it to its own output. Which
  // part does it send in step s? When may a step begin, and when is the last one over?
}

void reduce_scatter(const Ranks& ranks, int n) {
  // TODO (about 15 lines): for each step, the relay of each rank to the next rank's room. In step 0
  // a rank sends its input of a part; then what it got, plus its input of that part. What happens
  // to the part that a rank gets in the last step?
}

}  // namespace

extern "C" void gather_and_scatter(Ranks gather, Ranks scatter, int n) {
  all_gather(gather, n);
  reduce_scatter(scatter, n);
}
