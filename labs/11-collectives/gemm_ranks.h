// Lab 11, rung 8: what the function gets, and where partial tiles and their signals are.
//
// Rank r has a [count * rows][k] and b [n][k], its part of the columns of the whole matrices. The
// product a * b^T is a partial one; the sum over all ranks is the result, and rank r gets its rows
// r * rows to (r + 1) * rows - 1: c [rows][n]. n and k are multiples of 8.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "ranks.h"

struct GemmRanks {
  int count;                           // of ranks: 2 to kMostRanks
  const __nv_bfloat16* a[kMostRanks];  // [rank]: arrays in the memory of that device
  const __nv_bfloat16* b[kMostRanks];
  __nv_bfloat16* c[kMostRanks];
  unsigned* signals[kMostRanks];  // all 0 at the call, for that call only
  cudaStream_t streams[kMostRanks];
};

// Pieces of `length` that cover `whole`.
__host__ __device__ inline int pieces_of(int whole, int length) {
  return (whole + length - 1) / length;
}

// A warpgroup computes 64 x 256 of the product at a time, and a cluster of two blocks 256 x 256.
// Signals for these pieces come first in a signal area, one for each rank and piece:
// [count][4 * pieces_of(rows, 256)][pieces_of(n, 256)].
__host__ __device__ inline int signals_per_rank(int rows, int n) {
  return 4 * pieces_of(rows, 256) * pieces_of(n, 256);
}
__host__ __device__ inline unsigned* signal_of(const GemmRanks& ranks, int at, int from, int row,
                                               int col, int rows, int n) {
  return ranks.signals[at] + from * signals_per_rank(rows, n) + row / 64 * pieces_of(n, 256) +
         col / 256;
}
// Behind them, from a multiple of 256 bytes on: room for partial products of all ranks,
// [count][rows][n]. The room for those of rank `from`, in the memory of rank `at`:
__host__ __device__ inline __nv_bfloat16* partials_of(const GemmRanks& ranks, int at, int from,
                                                      int rows, int n) {
  unsigned* const room =
      ranks.signals[at] + pieces_of(ranks.count * signals_per_rank(rows, n), 64) * 64;
  return reinterpret_cast<__nv_bfloat16*>(room) + static_cast<size_t>(from) * rows * n;
}

extern "C" void gemm_reduce_scatter(GemmRanks ranks, int rows, int n, int k);
