// A copy between devices, by a kernel: push, 16 bytes per lane.
//
// Every rank sends its input to the next rank of the ring: outputs[r + 1] = inputs[r], and the last
// rank sends to rank 0. Each input and output has n floats and begins at a multiple of 256 bytes; n
// is any number from 1 on.
//
// A pointer to another device's memory works like any other, but the access crosses a link. Who
// makes it?
//
//     pull   the receiver loads: a request goes there, the data come back, the lane waits for both
//     push   the sender stores: the data go there, and the lane goes on at once
//
// A request between devices carries a line of 128 bytes at most. A warp whose lanes access 16
// neighbouring bytes each fills four of them with one instruction. No lane waits for a store,
// but the load before it does: a lane that has several loads under way before its first store
// keeps more bytes in flight.
//
// The receiver cannot see when it has everything: its stream is empty. What follows in
// streams[r + 1] must begin after the kernel of rank r has ended. mark() in ranks.h records an
// event in a rank's stream, and cudaStreamWaitEvent(stream, event, 0) lets another stream wait for
// it. An event that is recorded behind such a wait comes only after what was waited for.
//
//     ./ridge grade 11-collectives/1-peer-copy
#include "ranks.h"

namespace {

constexpr int kThreads = 128;
constexpr int kMostBlocks = 132;  // as many as an H200 has SMs
constexpr int kUnroll = 8;        // float4 per lane that are loaded before they are stored

__global__ void __launch_bounds__(kThreads) push(const float* from, float* to, int n) {
  const int first = blockIdx.x * kThreads + threadIdx.x, step = gridDim.x * kThreads;
  // TODO (about 12 lines): store n floats from `from` to `to`, 16 bytes per lane and instruction
  // (float4). `first` is this thread's number among all, `step` their number. A warp takes pieces
  // of kUnroll * 32 neighbouring float4s: its lanes load all of a piece, then store it. The last
  // n % 4 floats do not fill a float4.
}

}  // namespace

extern "C" void peer_copy(Ranks ranks, int n) {
  const int blocks = min(n / (4 * kThreads * kUnroll) + 1, kMostBlocks);
  // TODO (about 8 lines): for each rank, a launch of push into its stream that stores to the next
  // rank's output (cudaSetDevice(rank) first). Then let each receiver's stream wait for the stream
  // of the rank that sends to it, and for nothing else: record all events before the first wait.
}
