// Splits particles through shared memory: the loads are floats side by side, and so are the stores.
#include "coalescing.h"

namespace {

constexpr int kThreads = 256;

__global__ void split_by_tile(const float* particles, float* fields, int n) {
  __shared__ float tile[4 * kThreads];
  const int begin = blockIdx.x * kThreads, here = min(kThreads, n - begin);
  for (int i = threadIdx.x; i < 4 * here; i += kThreads)
    tile[i] = particles[4 * static_cast<size_t>(begin) + i];
  __syncthreads();
  if (threadIdx.x >= here) return;
  for (int field = 0; field < 4; ++field)
    fields[static_cast<size_t>(field) * n + begin + threadIdx.x] = tile[4 * threadIdx.x + field];
}

}  // namespace

extern "C" void split_particles(const float* particles, float* fields, int n, cudaStream_t stream) {
  split_by_tile<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(particles, fields, n);
}
