// All-reduce in two steps, for medium messages: each rank adds one part, and sends it to all ranks.
//
// In one shot each rank sends count - 1 times the message, and adds everything itself. The ring
// sends the least, in 2 * count - 2 steps. Between them is the *two-shot*: the same parts as in the
// ring, sent directly to their destination.
//
//     step 1    each rank is the owner of one part: it loads that part of all inputs, and adds
//     step 2    it stores the sums to the outputs of all ranks
//
// Step 1 needs no signal: inputs are ready on all devices when the function is called. So here a
// rank pulls, although a load waits for a round trip: pushed inputs would have to be followed by a
// signal, which also takes the link's latency. Enough loads at once hide most of the wait: start
// those of all ranks before you use the first one.
//
// Step 2 ends with signals. Block b of a rank has a slice of the rank's part (slice_of); it sets a
// signal for block b of every rank, and waits for theirs. Then its rank has all slices number b,
// and no rank reads its inputs any more.
//
// All ranks get the same bits: each sum is computed once. Add in the order of the ranks anyway, so
// that the result does not depend on the owner.
//
//     ./ridge grade 11-collectives/5-two-shot
#include "ranks.h"
#include "slices.h"

namespace {

// A slice of the own part: adds all inputs, and stores the sums to all outputs.
__device__ void reduce_and_send(const Ranks& ranks, int rank, const Slice& slice) {
  for_each_vector(slice.length, [&](int i, auto vector) {
    using Vector = decltype(vector);
    // TODO (about 11 lines): load vector i of this slice from all inputs, add the vectors in the
    // order of the ranks, and store the sum to all outputs: at<Vector>(array + slice.first, i).
    // Loops over kMostRanks with `if (other < ranks.count)` can be unrolled, so that the loads are
    // in flight together.
  });
}

__global__ void __launch_bounds__(kThreads)
    two_shot(const __grid_constant__ Ranks ranks, int rank, int n) {
  reduce_and_send(ranks, rank, slice_of(rank, ranks.count, n));
  // TODO (about 7 lines): when all threads have stored, thread t sets a signal for rank t and waits
  // for the one of rank t: a word for each block and sender.
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    two_shot<<<blocks_for(ranks.count, n), kThreads, 0, ranks.streams[rank]>>>(ranks, rank, n);
  }
}
