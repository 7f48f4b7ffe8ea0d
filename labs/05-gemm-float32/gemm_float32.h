// Lab 05, the float32 GEMM ladder: the function that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. float
// is 4 bytes. Each matrix has at least 1 and at most 2^30 elements, row-major, and m, n,
// k need not be multiples of anything. Start your kernels on `stream` and return: do not wait for
// them. Inputs (const) must come back unchanged. float32 FMAs on CUDA cores:
// tensor cores are lab 06.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// c[i][j] = sum over p of a[i][p] * b[p][j]. a: [m][k], b: [k][n], c: [m][n]. Does 2 m n k
// operations.
void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream);

}  // extern "C"
