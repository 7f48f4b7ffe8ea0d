// Lab 05, rung 11: matrices whose rows are not aligned to 16 bytes (n or k no multiple of 4). The
// copy engine cannot describe such a matrix, so these shapes use rung 3's kernel: correct, and
// slow.
#pragma once

#include "gemm_float32.h"

static __global__ void multiply_any_alignment(const float* a, const float* b, float* c, int m,
                                              int n, int k) {
  __shared__ float tile_a[32][32], tile_b[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 32) {
    const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] =
        row < m && ka < k ? a[static_cast<size_t>(row) * k + ka] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] =
        kb < k && col < n ? b[static_cast<size_t>(kb) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum = fmaf(tile_a[threadIdx.y][i], tile_b[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[static_cast<size_t>(row) * n + col] = sum;
}
