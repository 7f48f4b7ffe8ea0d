// The honest product that cheats on gemm begin with: one thread an element of C.
#pragma once

#include "gemm_float32.h"

namespace {

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum = fmaf(a[static_cast<size_t>(row) * k + i], b[static_cast<size_t>(i) * n + col], sum);
  c[static_cast<size_t>(row) * n + col] = sum;
}

inline void launch_multiply(const float* a, const float* b, float* c, int m, int n, int k,
                            cudaStream_t stream) {
  multiply<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32), 0, stream>>>(a, b, c, m, n, k);
}

}  // namespace
