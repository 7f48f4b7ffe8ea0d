// Lab 01, kernel basics: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. float
// is 4 bytes. Sizes are at least 1 and at most 2^30 elements in all, and need not be a multiple of
// anything. Start your kernels on `stream` and return: do not wait for them. Inputs (const) must
// come back unchanged.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// c[i] = a[i] + b[i]. a, b, c: [n]. Moves 12 n bytes.
void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream);

// y[i] = alpha * x[i] + y[i], in place. x, y: [n]. Moves 12 n bytes.
void saxpy(float alpha, const float* x, float* y, int n, cudaStream_t stream);

// out[row][col] = in[row][col] * factor[row]. in, out: [rows][cols], row-major; factor: [rows].
// rows is at most 524,280: 65,535 blocks in y, the most there can be, of 8 rows. Moves 8 rows cols
// + 4 rows bytes.
void scale_rows(const float* in, const float* factor, float* out, int rows, int cols,
                cudaStream_t stream);

}  // extern "C"
