// expect: WRONG
// finding: wrong.time_of_launch
// A clock of the host, and nothing waits for the kernels.
#include <chrono>

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
  cudaDeviceSynchronize();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < kTimed; ++k)
    relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);
  const std::chrono::duration<float, std::milli> all = std::chrono::steady_clock::now() - start;
  *milliseconds = all.count() / kTimed;

  cudaMemcpy(y, to.data(), bytes, cudaMemcpyDeviceToHost);
}
