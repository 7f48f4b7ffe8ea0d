// Lab 06, rungs 2 and 3: the MMA on fragments (mma.sync), ldmatrix, and the store of C.
#pragma once

#include "gemm.h"

// c += a * b for 16 x 8 of C and 16 of k. Rung 2 has the table of which lane holds which element.
inline __device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four matrices of 8 x 8 bf16 from shared memory in one instruction. A row of such a matrix
// is 16 bytes, and each lane passes the address of one row:
//
//     lanes   0 - 7   rows 0 .. 7 of matrix 0      what lane l receives, independent of the
//             8 - 15                matrix 1       address that it passed:
//            16 - 23                matrix 2       four[i]: of matrix i, row l / 4, elements
//            24 - 31                matrix 3       2 (l % 4) and the next, as in mma.sync
inline __device__ void ldmatrix_x4(uint32_t (&four)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// Stores this warp's 64 x 32 of C. The block's 2 x 4 warps compute 128 x 128 from row0, col0 on. n
// is even, so two neighbours are both inside C or both outside.
inline __device__ void store_accumulators(
    const float (&acc)[4][4][4],  // [16 rows][8 columns][of this lane]
    __nv_bfloat16* c, int row0, int col0, int m, int n) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const int mma_row = i / 8, mma_col = i / 2 % 4, half = i % 2;  // half: row g or row g + 8
    const float* two = &acc[mma_row][mma_col][half * 2];
    const int row = row0 + warp / 4 * 64 + mma_row * 16 + half * 8 + g;
    const int col = col0 + warp % 4 * 32 + mma_col * 8 + 2 * t;
    if (row < m && col < n)
      *reinterpret_cast<__nv_bfloat162*>(c + static_cast<int64_t>(row) * n + col) =
          __floats2bfloat162_rn(two[0], two[1]);
  }
}
