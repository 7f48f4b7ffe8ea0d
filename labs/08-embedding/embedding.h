// Lab 08, embedding lookup: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. Sizes
// are at least 1. cols is a multiple of 8, so every row of bf16 is a number of whole 16-byte
// vectors; rows is at most 2^24, and no array has more than 2^30 elements. An index is a row, 0 to
// rows - 1, or -1: padding, which names no row. Any number of lookups may have the same index. The
// same rows may be hot: a few of them named by most lookups, as the words of a text are. Start your
// kernels on `stream` and return: do not wait for them. Inputs (const) must come back unchanged.
// The contents of `out` are undefined when you are called. Calls come one after the other.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

extern "C" {

// out[i] = table[indices[i]], row by row, and a row of zeros where indices[i] is -1. table:
// [rows][cols], indices: [lookups], out: [lookups][cols].
void embedding_lookup(const __nv_bfloat16* table, const int64_t* indices, __nv_bfloat16* out,
                      int rows, int cols, int lookups, cudaStream_t stream);

// out[b] = sum of table[indices[i]] over offsets[b] <= i < offsets[b + 1]; padding adds nothing. A
// bag may be empty: zeros. Sums are in float32, rounded once to bf16. table: [rows][cols], indices:
// [lookups], offsets: [bags + 1], ascending, from 0 to lookups; out: [bags][cols].
void embedding_bag(const __nv_bfloat16* table, const int64_t* indices, const int64_t* offsets,
                   __nv_bfloat16* out, int rows, int cols, int lookups, int bags,
                   cudaStream_t stream);

// table[indices[i]] -= rate * gradient[i], row by row, for every i; padding changes nothing.
// gradient: [lookups][cols], indices: [lookups], table: [rows][cols]. lookups is at most 2^20,
// lookups * cols at most 2^27. Float additions round, so the result depends on their order: rung 5
// accepts any order, rung 6 asks for the same bits in every call with the same inputs.
void embedding_update(const __nv_bfloat16* gradient, const int64_t* indices, float rate,
                      float* table, int rows, int cols, int lookups, cudaStream_t stream);

}  // extern "C"
