// Lab 05, from rung 6 on: copies of four neighbouring floats, with edges.
//
// A row of cols floats begins at a multiple of 16 bytes only if cols is a multiple of 4. Then a
// float4 whose first column is a multiple of 4 is either completely inside the matrix or completely
// outside, and one instruction moves it: kAligned. Otherwise the four floats are handled one by
// one. Everything outside the matrix is 0, as in the last rung of lab 04.
#pragma once

#include <cuda_pipeline_primitives.h>

template <bool kAligned>
__device__ float4 load_float4(const float* matrix, int rows, int cols, int row, int col) {
  const int left = row < rows ? cols - col : 0;  // floats of this row from col on
  const float* from = matrix + row * cols + col;
  if constexpr (kAligned)
    return left > 0 ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  return make_float4(left > 0 ? from[0] : 0.0f, left > 1 ? from[1] : 0.0f,
                     left > 2 ? from[2] : 0.0f, left > 3 ? from[3] : 0.0f);
}

template <bool kAligned>
__device__ void store_float4(float* matrix, int rows, int cols, int row, int col, float4 v) {
  const int left = row < rows ? cols - col : 0;
  float* to = matrix + row * cols + col;
  if constexpr (kAligned) {
    if (left > 0) *reinterpret_cast<float4*>(to) = v;
  } else {
    if (left > 0) to[0] = v.x;
    if (left > 1) to[1] = v.y;
    if (left > 2) to[2] = v.z;
    if (left > 3) to[3] = v.w;
  }
}

// cp.async copies from global to shared memory without a register; the thread continues at once.
// The last argument is the number of bytes at the end that are filled with 0 instead of read: all
// of them outside the matrix.
//
//     __pipeline_commit()          the copies since the last commit form one group
//     __pipeline_wait_prior(g)     wait until at most this thread's g newest groups are in flight
//
// Each thread waits for its own copies only: a barrier after the wait makes them visible to all.
template <int kBytes>  // 4 or 16
__device__ void copy_async(float* to, const float* from, bool inside) {
  __pipeline_memcpy_async(to, from, kBytes, inside ? 0 : kBytes);  // outside: `from` is not read
}

__device__ inline void copy_float_async(float* to, const float* matrix, int rows, int cols, int row,
                                        int col) {
  copy_async<4>(to, matrix + row * cols + col, row < rows && col < cols);
}

template <bool kAligned>
__device__ void copy_float4_async(float* to, const float* matrix, int rows, int cols, int row,
                                  int col) {
  if constexpr (kAligned) {
    copy_async<16>(to, matrix + row * cols + col, row < rows && col < cols);
  } else {
    for (int e = 0; e < 4; ++e)
      copy_float_async(to + e, matrix, rows, cols, row, col + e);
  }
}

// Four floats of a shared tile into registers; `from` is a multiple of 16 bytes.
__device__ inline void load_fragment(float* to, const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

// kFloats / 4 float4, each `apart` float4 after the previous one.
template <int kFloats>
__device__ void load_fragments(float* to, const float* from, int apart) {
#pragma unroll
  for (int i = 0; i < kFloats; i += 4)
    load_fragment(to + i, from + i * apart);
}
