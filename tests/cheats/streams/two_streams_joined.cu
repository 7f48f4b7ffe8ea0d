// Adds the halves in two streams that are forked from the given one and joined to it by events.
#include "kernel_basics.h"

namespace {

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  cudaStream_t other;
  cudaEvent_t begun, done;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(other, begun);
  const int half = n / 2, rest = n - half;
  if (half > 0) add<<<(half + 255) / 256, 256, 0, stream>>>(a, b, c, half);
  add<<<(rest + 255) / 256, 256, 0, other>>>(a + half, b + half, c + half, rest);
  cudaEventRecord(done, other);
  cudaStreamWaitEvent(stream, done);
  cudaEventDestroy(begun);
  cudaEventDestroy(done);
  cudaStreamDestroy(other);
}
