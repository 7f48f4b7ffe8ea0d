// Whole float4 to the next rank, and one block per device.
#include "ranks.h"

namespace {

constexpr int kThreads = 1024;

__global__ void __launch_bounds__(kThreads) push(const float4* from, float4* to, int n) {
  for (int i = threadIdx.x; i < n / 4; i += kThreads)
    to[i] = from[i];
  if (const int i = n / 4 * 4 + static_cast<int>(threadIdx.x); i < n)
    reinterpret_cast<float*>(to)[i] = reinterpret_cast<const float*>(from)[i];
}

}  // namespace

extern "C" void peer_copy(Ranks ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    push<<<1, kThreads, 0, ranks.streams[rank]>>>(
        reinterpret_cast<const float4*>(ranks.inputs[rank]),
        reinterpret_cast<float4*>(ranks.outputs[next_of(rank, ranks.count)]), n);
  }
  cudaEvent_t sent[kMostRanks];  // [rank]
  for (int rank = 0; rank < ranks.count; ++rank)
    sent[rank] = mark(ranks, rank);
  for (int rank = 0; rank < ranks.count; ++rank)
    cudaStreamWaitEvent(ranks.streams[next_of(rank, ranks.count)], sent[rank], 0);
}
