// Lab 04, tiled GEMM: the function that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. float
// is 4 bytes. Each matrix has at least 1 and at most 2^30 elements, row-major: element
// [i][j] of a matrix with n columns is at i * n + j. Start your kernel on `stream` and return: do
// not wait for it. Inputs (const) must come back unchanged.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// c[i][j] = sum over p of a[i][p] * b[p][j]. a: [m][k], b: [k][n], c: [m][n]. Does 2 m n k
// operations. Rungs 1, 2 and 5: any m, n, k from 1 on. Rungs 3 and 4: multiples of 32, or the 4 x 4
// of rung 3's page.
void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream);

}  // extern "C"
