// Two streams of its own: the second waits for the first, and the given one for the second.
#include "add.cuh"

namespace {

cudaStream_t first = nullptr, second = nullptr;
cudaEvent_t events[3];

void make() {
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  for (cudaEvent_t& event : events)
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (!first) make();
  cudaEventRecord(events[0], stream);
  cudaStreamWaitEvent(first, events[0], 0);
  add<<<blocks_for(n), kThreads, 0, first>>>(a, b, c, n);
  cudaEventRecord(events[1], first);
  cudaStreamWaitEvent(second, events[1], 0);
  cudaEventRecord(events[2], second);
  cudaStreamWaitEvent(stream, events[2], 0);
}
