// All-to-all with uneven counts: tokens to the ranks of their experts, and the results back.
//
// In a *mixture of experts* each token is processed by an expert, and the experts are spread over
// the ranks. A kernel before this one has chosen the experts and sorted the tokens by rank. Now
// every rank sends rows to every other one (*dispatch*), and later the results come back
// (*combine*). Here both are done in one call, each on data of its own.
//
//     dispatch.inputs[s]     rows for rank 0 | rows for rank 1 | ...     counts[s][0], [1], ...
//     dispatch.outputs[d]    rows of rank 0 | rows of rank 1 | ...       counts[0][d], [1][d], ...
//     combine.inputs[d]      as dispatch.outputs[d]: results of the rows of rank 0 | ...
//     combine.outputs[s]     as dispatch.inputs[s]
//
// The counts are on the devices, and the host must not ask for them: a copy to the host waits for
// everything that was queued before. So the kernel cannot be launched for the right number of rows,
// and no rank knows where its rows begin at the receiver: that depends on the counts of the ranks
// before it. Every block reads the whole table, across the links, in one round trip.
//
// The counts are uneven, and some are 0. If a block copied what goes to one rank, the largest copy
// would keep one block busy while the others have nothing left. Cut all copies of a rank into
// pieces instead, and number the pieces of all copies consecutively.
//
//     ./ridge grade 11-collectives/7-all-to-all
#include "ranks.h"

namespace {

constexpr int kThreads = 512;
constexpr int kMostBlocks = 128;
constexpr int kUnroll = 4;                     // float4 per thread of a piece
constexpr int kPiece = kThreads * kUnroll;     // float4

// counts[s][d]: the rows that rank s sends to rank d; all of them, in shared memory.
using Counts = int[kMostRanks][kMostRanks];

// A contiguous copy between two ranks.
struct Copy {
  const float4* from;
  float4* to;
  long long length;  // float4
};

__device__ void load_counts(const CountsOfRanks& counts, int ranks, Counts& all) {
  const int source = threadIdx.x / kMostRanks, to = threadIdx.x % kMostRanks;
  if (source < ranks && to < ranks) all[source][to] = static_cast<int>(counts.of[source][to]);
  __syncthreads();
}

// Rows in front of those from rank `source` to rank `to`: in the array that is sorted by receivers
// (of the source), and in the array that is sorted by sources (of the receiver).
__device__ int before_at_source(const Counts& counts, int source, int to) {
  // TODO (about 4 lines)
  return 0;
}
__device__ int before_at_receiver(const Counts& counts, int source, int to) {
  // TODO (about 4 lines)
  return 0;
}

// What `rank` sends: to rank `peer`, its tokens (dispatch) or the results of its experts (combine).
__device__ Copy copy_of(const Ranks& dispatch, const Ranks& combine, const Counts& counts, int rank,
                        int peer, bool is_result, int width) {
  const int source = is_result ? peer : rank, to = is_result ? rank : peer;
  const long long at_source = before_at_source(counts, source, to),
                  at_receiver = before_at_receiver(counts, source, to), row = width / 4;
  const long long length = counts[source][to] * row;
  if (is_result)
    return {reinterpret_cast<const float4*>(combine.inputs[rank]) + at_receiver * row,
            reinterpret_cast<float4*>(combine.outputs[peer]) + at_source * row, length};
  return {reinterpret_cast<const float4*>(dispatch.inputs[rank]) + at_source * row,
          reinterpret_cast<float4*>(dispatch.outputs[peer]) + at_receiver * row, length};
}

// kPiece float4 from `begin` on, or what is left of them.
__device__ void copy_piece(const Copy& copy, long long begin) {
  float4 piece[kUnroll];
  const long long first = begin + threadIdx.x;
#pragma unroll
  for (int j = 0; j < kUnroll; ++j)
    if (first + j * kThreads < copy.length) piece[j] = copy.from[first + j * kThreads];
#pragma unroll
  for (int j = 0; j < kUnroll; ++j)
    if (first + j * kThreads < copy.length) copy.to[first + j * kThreads] = piece[j];
}

__global__ void __launch_bounds__(kThreads)
    exchange(const __grid_constant__ Ranks dispatch, const __grid_constant__ Ranks combine,
             const __grid_constant__ CountsOfRanks given, int rank, int width) {
  __shared__ Counts counts;
  const int ranks = dispatch.count;
  load_counts(given, ranks, counts);
  // TODO (about 9 lines): the pieces of this rank's 2 * ranks copies, numbered through: block b
  // makes b, b + gridDim.x, ... of them (copy_of, copy_piece).
  __syncthreads();  // all threads have stored
  const int other = static_cast<int>(threadIdx.x), first = blockIdx.x * ranks;
  if (other < ranks) {
    set_signal(dispatch.signals[other] + first + rank, 1);
    while (get_signal(dispatch.signals[rank] + first + other) == 0) {
    }
  }
}

}  // namespace

extern "C" void dispatch_and_combine(Ranks dispatch, Ranks combine, CountsOfRanks counts,
                                     int tokens, int width) {
  // At least as many rows as a rank sends of its own tokens; the results may be more or fewer.
  const long long pieces = (static_cast<long long>(tokens) * width / 4 + kPiece - 1) / kPiece;
  const int blocks = static_cast<int>(min(2 * pieces, static_cast<long long>(kMostBlocks)));
  for (int rank = 0; rank < dispatch.count; ++rank) {
    cudaSetDevice(rank);
    exchange<<<blocks, kThreads, 0, dispatch.streams[rank]>>>(dispatch, combine, counts, rank,
                                                              width);
  }
}
