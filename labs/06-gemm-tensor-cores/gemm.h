// Lab 06, GEMM on tensor cores: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. Sizes
// are at least 1. m is any number; n and k are multiples of 8, k of 16 for fp8, so that every row
// begins at a multiple of 16 bytes: the unit of cp.async and the copy engine. Sizes need not be a
// multiple of a tile. Start your kernels on `stream` and return: do not wait for them. Inputs
// (const) must come back unchanged.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

extern "C" {

// c[i][j] = sum over p of a[i][p] * b[j][p]. a: [m][k], b: [n][k], c: [m][n], all row-major. b
// is the transposed right operand, as a linear layer stores its weights: both operands are stored
// along k. Accumulation is in float32, rounded once to bf16. 2 m n k operations.
void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n,
               int k, cudaStream_t stream);

// (Rung 14: k is 64.)

// The same with operands of 8 bits: a sign, 4 bits of exponent, 3 of mantissa.
void gemm_fp8(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, __nv_bfloat16* c, int m, int n, int k,
              cudaStream_t stream);

// Rung 13: out = in. in, out: [rows][cols]; cols is a multiple of 8.
void copy_matrix(const __nv_bfloat16* in, __nv_bfloat16* out, int rows, int cols,
                 cudaStream_t stream);

}  // extern "C"
