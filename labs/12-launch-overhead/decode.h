// Lab 12: a chain of small kernels, like the decode step of a small model. All rungs compute the
// same:
//
//     x = token[t] + out[t - 1] / 2        (token 0: nothing is added)
//     for each layer l:  x[i] = (x[i] + weights[l][i] * x[(i + 97 (l + 1)) % width]) / 2
//     out[t] = x
//
// tokens is [count][width], weights [layers][width], out [count][width], all float32, row after
// row. count and layers are at least 1, width is from 1 to kMostWidth. One token takes 1 + layers
// steps, and each step needs the whole result of the one before: element i also reads element i +
// 97 (l + 1).
//
// Everything must be queued on `stream`. The function may return before the GPU is done.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream);

constexpr int kMostWidth = 65536;
constexpr int kThreads = 256;  // per block, one element per thread
constexpr int kHop = 97;       // a layer's other element is kHop * (layer + 1) further on

// The element that element i of a layer also reads. layer is below 2^25: the sum has 32 bits, whose
// remainder takes a fifth of the instructions that 64 bits take.
__host__ __device__ inline int other_element(int i, int layer, int width) {
  return static_cast<int>((i + unsigned{kHop} * (layer + 1)) % width);
}

inline int blocks_for(int width) {
  return (width + kThreads - 1) / kThreads;
}

// Where row `row` begins in an array of rows of `width` elements.
__host__ __device__ inline int64_t row_start(int row, int width) {
  return static_cast<int64_t>(row) * width;
}
