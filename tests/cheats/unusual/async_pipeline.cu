// vector_add through shared memory by cuda::memcpy_async-like copies, a tile ahead.
#include <cuda_pipeline.h>

#include "kernel_basics.h"

namespace {

constexpr int kThreads = 256;

__global__ void add_ahead(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[2][kThreads], of_b[2][kThreads];
  const int stride = gridDim.x * kThreads, t = threadIdx.x;
  int i = blockIdx.x * kThreads + t, stage = 0;
  const auto start = [&](int at, int to) {
    if (at < n) {
      __pipeline_memcpy_async(&of_a[to][t], a + at, sizeof(float));
      __pipeline_memcpy_async(&of_b[to][t], b + at, sizeof(float));
    }
    __pipeline_commit();
  };
  start(i, 0);
  for (; i < n; i += stride, stage ^= 1) {
    start(i + stride, stage ^ 1);
    __pipeline_wait_prior(1);
    c[i] = of_a[stage][t] + of_b[stage][t];
  }
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  const int blocks = (n + kThreads - 1) / kThreads;
  add_ahead<<<blocks < 1056 ? blocks : 1056, kThreads, 0, stream>>>(a, b, c, n);
}
