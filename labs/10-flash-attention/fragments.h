// Lab 10, rungs 1 and 4: tiles in shared memory, and the MMA on fragments of them (mma.sync), as in
// lab 06. There is nothing to edit.
#pragma once

#include "attention.h"

// The offset, in elements, of 8 elements of a tile with kCols columns: columns 8 * piece and on.
// The pieces of a row are permuted by XOR with the row number, so that the same piece of eight rows
// covers all 32 banks (lab 06, rung 3).
template <int kCols>
__device__ int place(int row, int piece) {
  return row * kCols + (piece ^ row % 8) * 8;
}

// Starts the copy of rows 0 .. kRows - 1 of a matrix whose rows are `stride` elements apart into a
// tile [kRows][kCols], by all kThreads threads of the block. Rows from `rows` on become zeros.
template <int kRows, int kCols, int kThreads>
__device__ void start_copy(__nv_bfloat16* tile, const __nv_bfloat16* matrix, int rows, int stride) {
  constexpr int kPieces = kCols / 8;
#pragma unroll 4
  for (int i = threadIdx.x; i < kRows * kPieces; i += kThreads) {
    const int row = i / kPieces, piece = i % kPieces;
    const bool inside = row < rows;
    const __nv_bfloat16* from =
        inside ? matrix + static_cast<int64_t>(row) * stride + piece * 8 : matrix;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<uint32_t>(
                     __cvta_generic_to_shared(tile + place<kCols>(row, piece)))),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
  }
}
// The copies started since the last call are one group.
inline __device__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits for all groups of this thread but the newest kPending.
template <int kPending>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// c += a * b for 16 x 8 of C and 16 of k. With g = lane / 4 and t = lane % 4:
//
//     A, 16 x 16     k = 2t, 2t+1   k = 2t+8, 2t+9    B, 8 columns     k = 2t, 2t+1  k = 2t+8, 2t+9
//     row g              a[0]            a[2]         column g             b0            b1
//     row g + 8          a[1]            a[3]
//
//     C, 16 x 8      columns 2t, 2t+1
//     row g              c[0], c[1]
//     row g + 8          c[2], c[3]
inline __device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four matrices of 8 x 8 bf16; lanes 8 i .. 8 i + 7 pass the addresses of the rows of matrix
// i. Lane l receives of each matrix row l / 4, elements 2 (l % 4) and the next.
inline __device__ void ldmatrix_x4(uint32_t (&four)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}
// The same, and each matrix is transposed: lane l receives of each matrix column l / 4, elements
// 2 (l % 4) and the next. For an operand B whose rows lie along k.
inline __device__ void ldmatrix_x4_transposed(uint32_t (&four)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// Two floats rounded to bf16 in one register, the first in the lower half.
inline __device__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

// 2^x in one instruction; results below the smallest normal number become 0.
inline __device__ float fast_exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
