// Lab 02, coalescing: the functions that you write and Ridgepoint calls.
//
// Every pointer is a device pointer that is a multiple of 256 bytes; arrays do not overlap. float
// is 4 bytes. Sizes are at least 1 and at most 2^30 elements in all, and need not be a multiple of
// anything. Start your kernels on `stream` and return: do not wait for them. Inputs (const) must
// come back unchanged.
#pragma once

#include <cuda_runtime.h>

extern "C" {

// out[i] = in[i] * factor. in, out: [n]. Moves 8 n bytes.
void scale(const float* in, float factor, float* out, int n, cudaStream_t stream);

// fields[f][i] = particles[i][f]. particles: [n][4], an array of structs {x, y, z, mass}; fields:
// [4][n], a struct of arrays. n is at most 2^28. Moves 32 n bytes.
void split_particles(const float* particles, float* fields, int n, cudaStream_t stream);

// out[col][row] = in[row][col]. in: [rows][cols], out: [cols][rows], both row after row. rows and
// cols are at most 524,280: 65,535 blocks in y, the most there can be, of 8 rows. Moves 8 rows cols
// bytes.
void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream);

}  // extern "C"
