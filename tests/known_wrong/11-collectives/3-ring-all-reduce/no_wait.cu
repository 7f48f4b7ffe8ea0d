// expect: RACE
// Nobody waits for a part.
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
  for (int step = 0; step < steps; ++step) {
    const Slice slice = slice_of((rank - step + 2 * count) % count, count, n);
    if (step > 0) wait_for(got + step - 1);
    const float* const arrived = own + slice.first;
    const float* const added = input + slice.first;
    const bool is_complete = step >= count - 1, is_sum = step > 0 && step < count;
    relay(step == 0 ? added : arrived, is_sum ? added : nullptr, peer + slice.first,
          is_complete && is_sum ? own + slice.first : nullptr, slice.length);
    announce(sent + step);
  }
  wait_for(got + steps - 1);  // the last part
}

}  // namespace

extern "C" void all_reduce(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    ring<<<blocks_for(ranks.count, n), kThreads, 0, ranks.streams[rank]>>>(ranks, rank, n);
  }
}
