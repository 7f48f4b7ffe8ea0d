// A clock of the host, with a wait before each time that it is read.
#include <chrono>

#include "relax.h"

extern "C" void time_kernel(const float* x, float* y, float* milliseconds, int n, int rounds) {
  DeviceArray from, to;
  from.allocate(n);
  to.allocate(n);
  cudaMemcpy(from.data(), x, n * sizeof(float), cudaMemcpyHostToDevice);
  const int blocks = (n + kThreads - 1) / kThreads;
  relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);
  cudaDeviceSynchronize();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 8; ++k)
    relax<<<blocks, kThreads>>>(from.data(), to.data(), n, rounds);
  cudaDeviceSynchronize();
  const std::chrono::duration<float, std::milli> all = std::chrono::steady_clock::now() - start;
  *milliseconds = all.count() / 8;
  cudaMemcpy(y, to.data(), n * sizeof(float), cudaMemcpyDeviceToHost);
}
