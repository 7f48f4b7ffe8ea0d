// Lab 03, reductions: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. float
// is 4 bytes. Sizes are at least 1 and at most 2^30 elements in all, and need not be a multiple of
// anything. Start your kernels on `stream` and return: do not wait for them. Inputs (const) must
// come back unchanged. The contents of `out` are undefined when you are called. Calls come one
// after the other.
//
// Float additions round, so the result depends on their order. Any order is accepted.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// out[0] = in[0] + ... + in[n - 1]. in: [n], out: [1]. Moves 4 n bytes.
void sum(const float* in, float* out, int n, cudaStream_t stream);

// out[r][c] = exp(in[r][c]) / (exp(in[r][0]) + ... + exp(in[r][cols - 1])). in, out: [rows][cols].
// Inputs are finite, and so large that their exponentials overflow: subtract the row's largest
// first, which changes nothing in the quotient. rows is at most 2^27. Moves 8 rows cols bytes.
void softmax(const float* in, float* out, int rows, int cols, cudaStream_t stream);

// out[r][c] = weight[c] * in[r][c] / sqrt(mean of the squares of in[r] + epsilon). in, out:
// [rows][cols], weight: [cols]. Moves 8 rows cols + 4 cols bytes.
void rms_norm(const float* in, const float* weight, float epsilon, float* out, int rows, int cols,
              cudaStream_t stream);

}  // extern "C"
