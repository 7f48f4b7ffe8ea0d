// Lab 11, rung 8: what the function gets, and where partial tiles and their signals are.
//
// Rank r has a [count * rows][k] and b [n][k], its part of the columns of the whole matrices. The
// product a * b^T is a partial one; the sum over all ranks is the result, and rank r gets its rows
// r * rows to (r + 1) * rows - 1: c [rows][n]. rows and n are multiples of 256, k of 64.
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

// A warpgroup computes 64 x 256 of the product at a time. Signals for these pieces come first in a
// signal area, one for each rank and piece: [count][rows / 64][n / 256].
__host__ __device__ inline unsigned* signal_of(const GemmRanks& ranks, int at, int from, int row,
                                               int col, int rows, int n) {
  return ranks.signals[at] + (from * (rows / 64) + row / 64) * (n / 256) + col / 256;
}
// Behind them, from a multiple of 256 bytes on: room for partial products of all ranks,
// [count][rows][n].
__host__ __device__ inline __nv_bfloat16* partials_of(const GemmRanks& ranks, int at, int rows,
                                                      int n) {
  const size_t signals = static_cast<size_t>(ranks.count) * (rows / 64) * (n / 256);
  return reinterpret_cast<__nv_bfloat16*>(ranks.signals[at] + (signals + 63) / 64 * 64);
}

extern "C" void gemm_reduce_scatter(GemmRanks ranks, int rows, int n, int k);
