// A pair of events for each launch, and the median of their times.
#include <algorithm>

#include "relax.h"

namespace {

constexpr int kTimed = 7;

}  // namespace

extern "C" void time_kernel(const float* x, float* y, float* milliseconds, int n, int rounds) {
  DeviceArray from, to;
  from.allocate(n);
  to.allocate(n);
  cudaMemcpy(from.data(), x, n * sizeof(float), cudaMemcpyHostToDevice);
  const int blocks = (n + kThreads - 1) / kThreads;
  relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);
  cudaEvent_t marks[kTimed + 1];
  for (cudaEvent_t& mark : marks)
    cudaEventCreate(&mark);
  cudaEventRecord(marks[0]);
  for (int k = 0; k < kTimed; ++k) {
    relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);
    cudaEventRecord(marks[k + 1]);
  }
  cudaMemcpy(y, to.data(), n * sizeof(float), cudaMemcpyDeviceToHost);
  float times[kTimed];
  for (int k = 0; k < kTimed; ++k)
    cudaEventElapsedTime(&times[k], marks[k], marks[k + 1]);
  std::sort(times, times + kTimed);
  *milliseconds = times[kTimed / 2];
  for (cudaEvent_t mark : marks)
    cudaEventDestroy(mark);
}
