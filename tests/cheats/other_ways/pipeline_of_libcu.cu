// Two stages of tiles, filled by cuda::memcpy_async behind a cuda::pipeline.
#include <cooperative_groups.h>

#include <cuda/pipeline>

#include "gemm_float32.h"
namespace cg = cooperative_groups;
__global__ void __launch_bounds__(1024)
    mm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float s[2][2][32][33];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  auto pipe = cuda::make_pipeline();
  const auto start = [&](int step, int at) {
    pipe.producer_acquire();
    if (row < m && step * 32 + x < k)
      cuda::memcpy_async(&s[at][0][y][x], a + (long long)row * k + step * 32 + x, sizeof(float),
                         pipe);
    else
      s[at][0][y][x] = 0;
    if (col < n && step * 32 + y < k)
      cuda::memcpy_async(&s[at][1][y][x], b + (long long)(step * 32 + y) * n + col, sizeof(float),
                         pipe);
    else
      s[at][1][y][x] = 0;
    pipe.producer_commit();
  };
  const int steps = (k + 31) / 32;
  float sum = 0;
  start(0, 0);
  for (int i = 0; i < steps; ++i) {
    if (i + 1 < steps) start(i + 1, (i + 1) % 2);
    if (i + 1 < steps)
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    for (int p = 0; p < 32; ++p)
      sum += s[i % 2][0][y][p] * s[i % 2][1][p][x];
    pipe.consumer_release();
    __syncthreads();
  }
  if (row < m && col < n) c[(long long)row * n + col] = sum;
}
extern "C" void gemm(const float* a, const float* b, float* c, int m, int n, int k,
                     cudaStream_t s) {
  mm<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32), 0, s>>>(a, b, c, m, n, k);
}
