// Two streams, an event between them, polling with queries and a host function that only counts: all that a
// careful program does, with the host kept apart from the device.
#include "kernel_basics.h"

namespace {

__global__ void add_part(const float* a, const float* b, float* c, int begin, int end) {
  const int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < end) c[i] = a[i] + b[i];
}

int calls = 0;
void count_call(void*) {
  ++calls;
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  const int half = n / 2;
  if (half > 0) add_part<<<(half + 255) / 256, 256, 0, other>>>(a, b, c, 0, half);
  cudaLaunchHostFunc(other, count_call, nullptr);
  cudaEventRecord(done, other);
  add_part<<<(n - half + 255) / 256, 256, 0, stream>>>(a, b, c, half, n);
  while (cudaEventQuery(done) == cudaErrorNotReady) {
  }
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  cudaEventDestroy(done);
  cudaStreamDestroy(other);
}
