// expect: SLOW
// finding: slow.gate
// 4 bytes per lane: four times as many instructions.
#include "ranks.h"

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 132;  // as many as an H200 has SMs; a link needs fewer

__global__ void __launch_bounds__(kThreads) push(const float* from, float* to, int n) {
  const int first = blockIdx.x * kThreads + threadIdx.x, step = gridDim.x * kThreads;
  for (int i = first; i < n; i += step)
    to[i] = from[i];
}

}  // namespace

extern "C" void peer_copy(Ranks ranks, int n) {
  const int blocks = min((n / 4 + kThreads) / kThreads, kMostBlocks);
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    push<<<blocks, kThreads, 0, ranks.streams[rank]>>>(
        ranks.inputs[rank], ranks.outputs[next_of(rank, ranks.count)], n);
  }
  for (int rank = 0; rank < ranks.count; ++rank)
    let_wait(ranks, next_of(rank, ranks.count), rank);
}
