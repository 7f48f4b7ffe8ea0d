// All-reduce in a ring, one kernel per rank: the steps of rung 2 without the host.
//
// An all-reduce is a reduce-scatter, then an all-gather of its results. On `count` ranks the array
// is cut into `count` parts; in each of 2 * count - 2 steps every rank sends one part to the next
// rank:
//
//     step s of rank r sends part (r - s) mod count, and waits for step s - 1 of the rank before it
//     s = 0                the rank's own input of that part
//     0 < s < count - 1    what it got, plus its own input
//     s = count - 1        the same: now the sum is complete. It stays here, too
//     s > count - 1        what it got
//
// What a rank receives is stored in its output, at the part's place. Every part arrives twice: as a
// partial sum, then complete. No partial sum is overwritten before it was read: a rank sends the
// complete part only after all ranks that read the partial sum have sent their signals.
//
// No kernel starts between two steps, so a signal must say that a part has arrived. It is in the
// memory of the rank that waits for it, and ranks.h has the two accesses:
//
//     set_signal   st.release.sys    what this thread wrote or saw before comes before it
//     get_signal   ld.acquire.sys    what this thread reads afterwards comes after it
//
// 256 threads have written the part, one of them sets the signal: it must know that all have
// written. One thread waits, all read: they must know that it has seen the signal.
//
// Blocks need not wait for each other. Each block owns a slice of every part, and signals of its
// own: block b of rank r sends to block b of the next rank only, and may be steps ahead of other
// blocks.
//
//     ./ridge grade 11-collectives/3-ring-all-reduce
#include "ranks.h"
#include "slices.h"

namespace {

// One step: stores n floats to `to`, and to `also` unless it is nullptr: from[i], plus added[i]
// unless that is nullptr. All arrays begin at multiples of 16 bytes.
__device__ void relay(const float* from, const float* added, float* to, float* also, int n) {
  for_each_vector(n, [&](int i, auto vector) {
    using Vector = decltype(vector);
    Vector value = at<Vector>(from, i);
    if (added != nullptr) value = plus(value, at<Vector>(added, i));
    at<Vector>(to, i) = value;
    if (also != nullptr) at<Vector>(also, i) = value;
  });
}

__device__ void wait_for(const unsigned* signal) {
  // TODO (3 lines): thread 0 looks until the signal is not 0; then all threads may read.
}

__device__ void announce(unsigned* signal) {
  // TODO (2 lines): when all threads of the block have stored, thread 0 sets the signal to 1.
}

__global__ void __launch_bounds__(kThreads) ring(Ranks ranks, int rank, int n) {
  const int count = ranks.count, steps = 2 * count - 2, next = next_of(rank, count);
  const float* const input = ranks.inputs[rank];  // [n]
  float* const own = ranks.outputs[rank];         // [n]
  float* const peer = ranks.outputs[next];        // [n]
  // One signal per step, for this block.
  unsigned* const got = ranks.signals[rank] + blockIdx.x * steps;   // [steps]
  unsigned* const sent = ranks.signals[next] + blockIdx.x * steps;  // [steps]
  // TODO (about 12 lines): for each step: the part; slice_of(part, count, n) is what this block has
  // of it (first element and length); wait for the step before (not in step 0); relay; announce. At
  // the end the rank's output must be complete.
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    ring<<<blocks_for(ranks.count, n), kThreads, 0, ranks.streams[rank]>>>(ranks, rank, n);
  }
}
