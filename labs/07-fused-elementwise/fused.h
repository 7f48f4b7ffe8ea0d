// Lab 07, fused elementwise kernels: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. Arrays
// of two dimensions are row-major. Sizes are at least 1; cols is a multiple of 8, so every row of
// bf16 is a number of whole 16-byte vectors, and at most 65536; no array has more than 2^30
// elements. Start your kernels on `stream` and return: do not wait for them. Inputs (const) must
// come back unchanged. The contents of outputs are undefined when you are called. Compute in
// float32 and round to bf16 once, when you store.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

extern "C" {

// out[r][c] = gelu(in[r][c] + bias[c]) with gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x +
// 0.044715 x^3))). in, out: [rows][cols], bias: [cols].
void bias_gelu(const __nv_bfloat16* in, const __nv_bfloat16* bias, __nv_bfloat16* out, int rows,
               int cols, cudaStream_t stream);

// out[r][c] = residual[r][c] + (keep[r][c] ? (in[r][c] + bias[c]) / (1 - p) : 0). in, residual,
// out: [rows][cols], bias: [cols], seed: one number in device memory. 0 <= p < 1, and p * 2^32 is a
// whole number.
//
// keep[r][c] is a function of the seed, r and c: Philox4x32-10 with the key {low word of the seed,
// high word} and the counter {c / 4, r, 0, 0} gives four words of 32 bits, and word c % 4 is that
// of column c. The element is kept if its word is at least p * 2^32. philox.h has a round of
// Philox.
void bias_dropout_residual(const __nv_bfloat16* in, const __nv_bfloat16* bias,
                           const __nv_bfloat16* residual, const int64_t* seed, float p,
                           __nv_bfloat16* out, int rows, int cols, cudaStream_t stream);

// The gradients of bias_dropout_residual() with the same seed and p: in_grad[r][c] = keep[r][c] ?
// out_grad[r][c] / (1 - p) : 0, and bias_grad[c], the sum of in_grad[r][c] over all rows, in
// float32 and of numbers that are not rounded to bf16 yet. out_grad, in_grad: [rows][cols],
// bias_grad: [cols]. The order of the sums is free.
void dropout_backward(const __nv_bfloat16* out_grad, const int64_t* seed, float p,
                      __nv_bfloat16* in_grad, float* bias_grad, int rows, int cols,
                      cudaStream_t stream);

// sum[r][c] = in[r][c] + residual[r][c], and out[r][c] = (sum[r][c] - mean) / sqrt(variance +
// epsilon) * weight[c] + bias[c]. mean is that of row r of `sum`, as it is stored; variance is the
// mean of (sum[r][c] - mean)^2 in it. in, residual, sum, out: [rows][cols], weight, bias: [cols].
// The rows of `sum` may have a mean that is large against their deviations.
void residual_layer_norm(const __nv_bfloat16* in, const __nv_bfloat16* residual,
                         const __nv_bfloat16* weight, const __nv_bfloat16* bias, float epsilon,
                         __nv_bfloat16* sum, __nv_bfloat16* out, int rows, int cols,
                         cudaStream_t stream);

// loss[r] = log(exp(logits[r][0]) + ... + exp(logits[r][vocabulary - 1])) - logits[r][targets[r]].
// logits: [rows][vocabulary], targets, loss: [rows]. vocabulary is a multiple of 8 and at most 2^20
// (the limit of cols does not hold for it); targets are 0 to vocabulary - 1. Logits are finite.
void cross_entropy(const __nv_bfloat16* logits, const int64_t* targets, float* loss, int rows,
                   int vocabulary, cudaStream_t stream);

// c[i][j] = gelu(sum over p of a[i][p] * b[j][p] + bias[j]). a: [m][k], b: [n][k], c: [m][n], bias:
// [n]. m is any number; n and k are multiples of 8. Accumulation is in float32, and c is rounded
// once.
void gemm_bias_gelu(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* bias,
                    __nv_bfloat16* c, int m, int n, int k, cudaStream_t stream);

}  // extern "C"
