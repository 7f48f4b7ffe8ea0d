// Lab 10, rung 1: the two matrix products of attention, tile by tile, by a block of four warps.
// There is nothing to edit.
#pragma once

#include "fragments.h"

// Each warp computes 16 of the block's 64 rows: rows 16 w .. 16 w + 15 of a for warp w. A lane
// holds of column tile j: columns 8 j + 2 (lane % 4) and the next, acc[j][0] and [1] of row lane /
// 4, acc[j][2] and [3] of row lane / 4 + 8.

// acc += a * b^T; a: [64][kDepth], b: [64][kDepth].
template <int kDepth>
__device__ void multiply_by_transposed(float (&acc)[8][4], const __nv_bfloat16* a,
                                       const __nv_bfloat16* b) {
  const int lane = threadIdx.x % 32, row0 = threadIdx.x / 32 * 16;
  for (int p = 0; p < kDepth / 8; p += 2) {
    uint32_t of_a[4], of_b[4];
    ldmatrix_x4(of_a, a + place<kDepth>(row0 + lane % 16, p + lane / 16));
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      const int row = 8 * j + lane / 16 * 8 + lane % 8;
      ldmatrix_x4(of_b, b + place<kDepth>(row, p + lane / 8 % 2));
      mma(acc[j], of_a, of_b[0], of_b[1]);
      mma(acc[j + 1], of_a, of_b[2], of_b[3]);
    }
  }
}

// acc += a * b; a: [64][64], b: [64][kCols].
template <int kCols>
__device__ void multiply(float (&acc)[kCols / 8][4], const __nv_bfloat16* a,
                         const __nv_bfloat16* b) {
  const int lane = threadIdx.x % 32, row0 = threadIdx.x / 32 * 16;
  for (int p = 0; p < 8; p += 2) {
    uint32_t of_a[4], of_b[4];
    ldmatrix_x4(of_a, a + place<64>(row0 + lane % 16, p + lane / 16));
#pragma unroll
    for (int j = 0; j < kCols / 8; j += 2) {
      const int row = 8 * p + lane % 16;
      ldmatrix_x4_transposed(of_b, b + place<kCols>(row, j + lane / 16));
      mma(acc[j], of_a, of_b[0], of_b[1]);
      mma(acc[j + 1], of_a, of_b[2], of_b[3]);
    }
  }
}
