// Lab 05: four neighbouring floats at a time, with edges. From rung 6 on.
//
// A row of cols floats begins at a multiple of 16 bytes only if cols is a multiple of 4. Then a quad that
// begins at a multiple of 4 lies in the matrix as a whole or not at all, and one instruction moves it:
// kAligned. Else the four floats are looked at one by one. Outside of the matrix stands 0, as lab 04's last
// rung taught.
#pragma once

#include <cuda_pipeline_primitives.h>

template <bool kAligned>
__device__ float4 load_float4(const float* matrix, int rows, int cols, int row, int col) {
  const int left = row < rows ? cols - col : 0;  // floats of this row from col on
  const float* from = matrix + row * cols + col;
  if constexpr (kAligned) return left > 0 ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  return make_float4(left > 0 ? from[0] : 0.0f, left > 1 ? from[1] : 0.0f, left > 2 ? from[2] : 0.0f,
                     left > 3 ? from[3] : 0.0f);
}

template <bool kAligned>
__device__ void store_float4(float* matrix, int rows, int cols, int row, int col, float4 quad) {
  const int left = row < rows ? cols - col : 0;
  float* to = matrix + row * cols + col;
  if constexpr (kAligned) {
    if (left > 0) *reinterpret_cast<float4*>(to) = quad;
  } else {
    if (left > 0) to[0] = quad.x;
    if (left > 1) to[1] = quad.y;
    if (left > 2) to[2] = quad.z;
    if (left > 3) to[3] = quad.w;
  }
}

// cp.async: global to shared memory without a register in between; the thread goes on at once. The last
// argument says how many bytes at the end are filled with 0 instead of read: all of them outside of the
// matrix.
//
//     __pipeline_commit()          what I began since the last commit is one group
//     __pipeline_wait_prior(g)     wait until at most my g youngest groups are still under way
//
// Each thread waits for its own copies only: a barrier behind the wait makes them everybody's.
template <int kBytes>  // 4 or 16
__device__ void copy_async(float* to, const float* from, bool there) {
  __pipeline_memcpy_async(to, from, kBytes, there ? 0 : kBytes);  // not there: `from` is not looked at
}

__device__ inline void copy_float_async(float* to, const float* matrix, int rows, int cols, int row,
                                        int col) {
  copy_async<4>(to, matrix + row * cols + col, row < rows && col < cols);
}

template <bool kAligned>
__device__ void copy_float4_async(float* to, const float* matrix, int rows, int cols, int row, int col) {
  if constexpr (kAligned) {
    copy_async<16>(to, matrix + row * cols + col, row < rows && col < cols);
  } else {
    for (int e = 0; e < 4; ++e)
      copy_float_async(to + e, matrix, rows, cols, row, col + e);
  }
}

// Four floats of a shared tile into registers; `from` is a multiple of 16 bytes.
__device__ inline void load_fragment(float* to, const float* from) {
  const float4 quad = *reinterpret_cast<const float4*>(from);
  to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
}

// kFloats / 4 quads, `apart` quads apart from one to the next.
template <int kFloats>
__device__ void load_fragments(float* to, const float* from, int apart) {
#pragma unroll
  for (int i = 0; i < kFloats; i += 4)
    load_fragment(to + i, from + i * apart);
}
