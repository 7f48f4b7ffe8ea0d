// Lab 13, transfer tasks: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. Sizes
// are at least 1. Start your kernels on `stream` and return: do not wait for them. Inputs (const)
// must come back unchanged. The contents of outputs are undefined when you are called. Calls come
// one after the other. Memory for intermediate results: scratch.h.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// out[i] = in[0] + ... + in[i], an inclusive prefix sum. in, out: [n], n at most 2^28.
void scan(const float* in, float* out, int n, cudaStream_t stream);

// counts[b] = how many elements of `in` equal b. in: [n], each 0 to bins - 1; counts: [bins], bins
// at most 4096. The elements may be spread over all bins, or all lie in one.
void histogram(const int* in, int* counts, int n, int bins, cudaStream_t stream);

// out[0] .. out[k - 1] = the k largest elements of `in`, the largest first. in: [n], out: [k]; k is
// at most n and at most 2048; n is at most 2^28. No element is NaN. Equal elements may be many;
// zeros of both signs are equal.
void top_k(const float* in, float* out, int n, int k, cudaStream_t stream);

// out = the elements of `in` in ascending order. in, out: [n], n at most 2^28. No element is NaN;
// zeros of both signs are equal.
void radix_sort(const float* in, float* out, int n, cudaStream_t stream);

// y = A x for a sparse matrix A of [rows][cols] in CSR (compressed sparse rows): row r has entries
// offsets[r] to offsets[r + 1] - 1, each a column and a value. offsets: [rows + 1], ascending, from
// 0 to entries; columns, values: [entries]; x: [cols]; y: [rows]. A row may be empty (y is 0 there)
// or have nearly all entries. The columns of a row come in any order and may repeat.
void spmv(const int* offsets, const int* columns, const float* values, const float* x, float* y,
          int rows, int cols, int entries, cudaStream_t stream);

}  // extern "C"
