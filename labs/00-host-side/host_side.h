// Lab 00, the host side: the functions that you write and Ridgepoint calls.
//
// A GPU has a memory of its own, *device memory*. A kernel reads and writes device memory; the rest
// of the program (the *host*) reads and writes its own, *host memory*. What each pointer points to
// is said at each function. Sizes are at least 1 and at most 2^28 elements, and need not be a
// multiple of anything. Inputs (const) must come back unchanged. Host arrays may be page-locked
// memory, which the operating system does not move, so that the GPU can copy it by itself: a
// cudaMemcpyAsync to or from them returns before it has copied.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// out[i] = i, as a float. out: [n], in device memory. Start your kernel on `stream` and return: do
// not wait for it.
void global_index(float* out, int n, cudaStream_t stream);

// c[i] = a[i] + b[i], computed by the GPU. a, b, c: [n], in host memory. When you return, c is
// complete, and every device allocation is freed.
void add_on_gpu(const float* a, const float* b, float* c, int n);

// Three results of one array. positive: [1], how many elements of x are above 0. steps: [n],
// steps[i] = x[i + 1] - x[i]; after the last element comes the first. reversed: [n], the elements
// of each 128 in reverse order (of the last ones: as many as there are). x: [n]. All in device
// memory.
void three_kernels(const float* x, float* positive, float* steps, float* reversed, int n,
                   cudaStream_t stream);

}  // extern "C"
