// expect: SLOW
// finding: slow.gate
// What is timed are launches that do nothing; the kernel runs before and after them.
#include "relax.h"

namespace {

constexpr int kTimed = 5;  // launches between the two events

}  // namespace

extern "C" void time_kernel(const float* x, float* y, float* milliseconds, int n, int rounds) {
  const size_t bytes = n * sizeof(float);
  const int blocks = (n + kThreads - 1) / kThreads;
  DeviceArray from, to;  // [n] each
  from.allocate(n);
  to.allocate(n);
  cudaMemcpy(from.data(), x, bytes, cudaMemcpyHostToDevice);

  relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);  // warms up
  cudaEvent_t start = nullptr, stop = nullptr;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  for (int k = 0; k < kTimed; ++k)
    relax<<<blocks, kThreads>>>(from.data(), to.data(), n, 0);
  cudaEventRecord(stop);
  for (int k = 0; k < kTimed; ++k)
    relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);
  cudaEventSynchronize(stop);
  float all = 0;
  cudaEventElapsedTime(&all, start, stop);
  *milliseconds = all / kTimed;
  cudaEventDestroy(start);
  cudaEventDestroy(stop);

  cudaMemcpy(y, to.data(), bytes, cudaMemcpyDeviceToHost);
}
