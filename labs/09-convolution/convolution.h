// Lab 09, convolution: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. Sizes
// are at least 1, and a padding at least 0; no array has more than 2^30 elements. Start your
// kernels on `stream` and return: do not wait for them. Inputs (const) must come back unchanged.
// The contents of `y` are undefined when you are called. Calls come one after the other.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

extern "C" {

// y[i] = sum over j of filter[j] * x[i * stride + j - padding]; x is zero outside 0 .. n - 1. x:
// [n], filter: [r], y: [(n + 2 * padding - r) / stride + 1]. r is at most 7, stride at most 2,
// padding at most 3; n + 2 * padding is at least r, but n may be less.
void filter_1d(const float* x, const float* filter, float* y, int n, int r, int stride, int padding,
               cudaStream_t stream);

// y[i][j] = sum over di, dj = -1, 0, 1 of weights[di + 1][dj + 1] * x[i + di][j + dj]; x is zero
// outside the image. x and y: [h][w], weights: [3][3]. w is a multiple of 4.
void stencil(const float* x, const float* weights, float* y, int h, int w, cudaStream_t stream);

// y[n][p][q][k] = sum over i, j, c of filter[k][i][j][c] * x[n][p * stride + i - padding]
// [q * stride + j - padding][c]; x is zero outside the image. x: [n][h][w][c], filter:
// [k][r][r][c], y: [n][(h + 2 * padding - r) / stride + 1][(w + 2 * padding - r) / stride + 1][k].
// c and k are multiples of 8, r is at most 7, stride at most 2, padding at most 3. Sums are in
// float32, rounded once to bf16.
void convolution(const __nv_bfloat16* x, const __nv_bfloat16* filter, __nv_bfloat16* y, int n,
                 int h, int w, int c, int k, int r, int stride, int padding, cudaStream_t stream);

}  // extern "C"

// The sizes of a convolution, to be given to a kernel.
struct Shape {
  int n, h, w, c, k, r, stride, padding;
  int p = (h + 2 * padding - r) / stride + 1, q = (w + 2 * padding - r) / stride + 1;

  __host__ __device__ int pixels() const { return n * p * q; }  // of y
  __host__ __device__ int terms() const { return r * r * c; }   // of an element of y
};
