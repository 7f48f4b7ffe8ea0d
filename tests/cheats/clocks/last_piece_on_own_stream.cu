// Forks from the given stream as it should, joins, and adds the last 1000 elements behind the join.
#include "add.cuh"

namespace {
cudaStream_t other = nullptr;
cudaEvent_t fork_event = nullptr, join_event = nullptr;
}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (!other) {
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join_event, cudaEventDisableTiming);
  }
  const int last = n > 1000 ? 1000 : n, most = n - last;
  cudaEventRecord(fork_event, stream);
  cudaStreamWaitEvent(other, fork_event, 0);
  if (most > 0) add<<<blocks_for(most), kThreads, 0, other>>>(a, b, c, most);
  cudaEventRecord(join_event, other);
  cudaStreamWaitEvent(stream, join_event, 0);
  add<<<blocks_for(last), kThreads, 0, other>>>(a + most, b + most, c + most, last);
}
