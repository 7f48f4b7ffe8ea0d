// Lab 10, rung 3: tiles of 64 rows in float32, and what surrounds the softmax of a tile. There is
// nothing to edit.
#pragma once

#include "attention.h"

constexpr int kTile = 64, kThreads = 256;  // 16 x 16 threads

template <int kD>
struct Tiles {
  float q[kD][kTile], k[kD][kTile];  // transposed: [column][row]
  float v[kTile][kD];
  float p[kTile][kTile];  // transposed: [key][query], see place_of_rows
};

// Rows 0 .. 63 of a matrix [rows][kD] into a tile, transposed; rows from `rows` on become zeros.
// Neighbouring lanes have neighbouring rows, so their stores are in neighbouring banks.
template <int kD>
__device__ void load_transposed(float (&tile)[kD][kTile], const __nv_bfloat16* matrix, int rows) {
  for (int i = threadIdx.x; i < kTile * kD / 8; i += kThreads) {
    const int row = i % kTile, col = i / kTile * 8;
    uint4 eight = {};
    if (row < rows)
      eight = *reinterpret_cast<const uint4*>(matrix + static_cast<int64_t>(row) * kD + col);
    const auto* of = reinterpret_cast<const __nv_bfloat16*>(&eight);
#pragma unroll
    for (int c = 0; c < 8; ++c)
      tile[col + c][row] = __bfloat162float(of[c]);
  }
}

// The same as it is.
template <int kD>
__device__ void load(float (&tile)[kTile][kD], const __nv_bfloat16* matrix, int rows) {
  for (int i = threadIdx.x; i < kTile * kD / 4; i += kThreads) {
    const int row = i / (kD / 4), col = i % (kD / 4) * 4;
    uint2 four = {};
    if (row < rows)
      four = *reinterpret_cast<const uint2*>(matrix + static_cast<int64_t>(row) * kD + col);
    const auto* of = reinterpret_cast<const __nv_bfloat16*>(&four);
    *reinterpret_cast<float4*>(&tile[row][col]) = {__bfloat162float(of[0]), __bfloat162float(of[1]),
                                                   __bfloat162float(of[2]),
                                                   __bfloat162float(of[3])};
  }
}

// s += q k^T: this thread's 4 rows and 4 keys.
template <int kD>
__device__ void multiply_by_keys(float (&s)[4][4], const float (&q)[kD][kTile],
                                 const float (&k)[kD][kTile]) {
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
#pragma unroll 8
  for (int c = 0; c < kD; ++c) {
    const float4 a = *reinterpret_cast<const float4*>(&q[c][4 * ty]);
    const float4 b = *reinterpret_cast<const float4*>(&k[c][4 * tx]);
    const float of_a[4] = {a.x, a.y, a.z, a.w}, of_b[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 16; ++i)
      s[i / 4][i % 4] += of_a[i / 4] * of_b[i % 4];
  }
}

// A row's 16 threads are half a warp: the result is in all of them.
inline __device__ float max_of_row(float x) {
  for (int d = 8; d > 0; d /= 2)
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
  return x;
}
inline __device__ float sum_of_row(float x) {
  for (int d = 8; d > 0; d /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}

// The weights of four rows are one float4. The groups of four are permuted by XOR with the key, so
// that the 16 threads of a row, which store 4 keys each, reach all banks.
inline __device__ float4* place_of_rows(float (&p)[kTile][kTile], int key) {
  const int group = threadIdx.x / 16 ^ key / 4;
  return reinterpret_cast<float4*>(&p[key][4 * group]);
}
inline __device__ void store_weights(float (&p)[kTile][kTile], const float (&s)[4][4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j)
    *place_of_rows(p, threadIdx.x % 16 * 4 + j) = {s[0][j], s[1][j], s[2][j], s[3][j]};
}
inline __device__ float4 weights_of_key(float (&p)[kTile][kTile], int key) {
  return *place_of_rows(p, key);
}

// This thread's part of a row, times `share`: columns 4 tx .. 4 tx + 3 of every 64.
template <int kD>
__device__ void store_row(__nv_bfloat16* row, const float (&o)[kD / 16], float share) {
#pragma unroll
  for (int h = 0; h < kD / 64; ++h) {
    const __nv_bfloat162 low = __floats2bfloat162_rn(o[4 * h] * share, o[4 * h + 1] * share);
    const __nv_bfloat162 high = __floats2bfloat162_rn(o[4 * h + 2] * share, o[4 * h + 3] * share);
    *reinterpret_cast<uint2*>(row + 64 * h + threadIdx.x % 16 * 4) = {
        *reinterpret_cast<const uint32_t*>(&low), *reinterpret_cast<const uint32_t*>(&high)};
  }
}
