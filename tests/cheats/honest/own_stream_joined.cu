// Half of the work on a stream of its own, forked from the given one and joined to it with events.
#include "add.cuh"

namespace {
cudaStream_t other = nullptr;
cudaEvent_t forked = nullptr, joined = nullptr;
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (!other) {
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  }
  const int half = n / 2;
  cudaEventRecord(forked, stream);
  cudaStreamWaitEvent(other, forked);
  if (half > 0) add<<<blocks_for(half), kThreads, 0, other>>>(a, b, c, half);
  add<<<blocks_for(n - half), kThreads, 0, stream>>>(a + half, b + half, c + half, n - half);
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(stream, joined);
}
