// expect: SLOW
// finding: slow.gate
// No ring: each rank reads everybody's input of its part, and stores the sum to all.
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
  if (threadIdx.x == 0)
    while (get_signal(signal) == 0) {
    }
  __syncthreads();  // nobody reads before thread 0 has seen the signal
}

__device__ void announce(unsigned* signal) {
  __syncthreads();  // all threads have stored
  if (threadIdx.x == 0) set_signal(signal, 1);
}

__global__ void __launch_bounds__(kThreads) ring(Ranks ranks, int rank, int n) {
  const int count = ranks.count, steps = 2 * count - 2, next = next_of(rank, count);
  const float* const input = ranks.inputs[rank];  // [n]
  float* const own = ranks.outputs[rank];         // [n]
  float* const peer = ranks.outputs[next];        // [n]
  // One signal per step, for this block.
  unsigned* const got = ranks.signals[rank] + blockIdx.x * steps;   // [steps]
  unsigned* const sent = ranks.signals[next] + blockIdx.x * steps;  // [steps]
  const Slice slice = slice_of(rank, count, n);
  for (int i = threadIdx.x; i < slice.length; i += kThreads) {
    float sum = 0;
    for (int other = 0; other < count; ++other)
      sum += ranks.inputs[other][slice.first + i];
    for (int other = 0; other < count; ++other)
      ranks.outputs[other][slice.first + i] = sum;
  }
  (void)input, (void)own, (void)peer;
  for (int other = 0; other < count; ++other)
    if (other != rank) announce(ranks.signals[other] + blockIdx.x * count + rank);
  for (int other = 0; other < count; ++other)
    if (other != rank) wait_for(ranks.signals[rank] + blockIdx.x * count + other);
  (void)got, (void)sent;
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    ring<<<blocks_for(ranks.count, n), kThreads, 0, ranks.streams[rank]>>>(ranks, rank, n);
  }
}
