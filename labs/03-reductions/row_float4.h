// Lab 03, rungs 5 to 8: load a row of floats into the registers of a block, 16 bytes per lane, and
// store it.
//
// Thread t of kThreads holds float4 number t, t + kThreads, t + 2 kThreads, ... of the row, so that
// in every load the 32 lanes of a warp access contiguous memory:
//
//     kThreads = 4, a row of 32 floats     float4   0    1    2    3    4    5    6    7
//                                          thread   0    1    2    3    0    1    2    3
//
// A float4 must be aligned to 16 bytes. Row r begins at byte 4 r cols: every row is aligned when
// cols % 4 == 0, and then no float4 crosses the end of a row. With any other cols the four
// components are four floats that are kThreads apart, each loaded by itself: unit stride, with a
// quarter of the bytes per request. A reduction does not depend on which column a component belongs
// to.
#pragma once

#include <cuda_runtime.h>

// float4 number q of this thread; columns past the end of the row are `missing`.
template <int kThreads>
__device__ float4 load_float4(const float* row, int cols, bool aligned, int q, float missing) {
  if (aligned) {
    const int i = q * kThreads + threadIdx.x;
    if (4 * i < cols) return reinterpret_cast<const float4*>(row)[i];
    return make_float4(missing, missing, missing, missing);
  }
  const int c = 4 * q * kThreads + threadIdx.x;
  return make_float4(c < cols ? row[c] : missing, c + kThreads < cols ? row[c + kThreads] : missing,
                     c + 2 * kThreads < cols ? row[c + 2 * kThreads] : missing,
                     c + 3 * kThreads < cols ? row[c + 3 * kThreads] : missing);
}

// Stores it; columns past the end of the row are not written.
template <int kThreads>
__device__ void store_float4(float* row, int cols, bool aligned, int q, float4 v) {
  if (aligned) {
    const int i = q * kThreads + threadIdx.x;
    if (4 * i < cols) reinterpret_cast<float4*>(row)[i] = v;
    return;
  }
  const int c = 4 * q * kThreads + threadIdx.x;
  if (c < cols) row[c] = v.x;
  if (c + kThreads < cols) row[c + kThreads] = v.y;
  if (c + 2 * kThreads < cols) row[c + 2 * kThreads] = v.z;
  if (c + 3 * kThreads < cols) row[c + 3 * kThreads] = v.w;
}

// Starts the copy of the same float4 to shared memory, at *kept; this thread may read it after
// wait_for_copies(). cp.async copies 16 bytes without a register, and the thread continues
// meanwhile.
template <int kThreads>
__device__ void copy_float4_async(float4* kept, const float* row, int cols, bool aligned, int q) {
  const int i = q * kThreads + threadIdx.x;
  if (aligned && 4 * i < cols) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(kept))),
                 "l"(reinterpret_cast<const float4*>(row) + i)
                 : "memory");
  } else {
    *kept = load_float4<kThreads>(row, cols, aligned, q, 0.0f);
  }
}
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// exp(x - max) of each component. __expf is the hardware exponential, two instructions. Its
// relative error grows with the magnitude of the argument, the distance of x from the maximum;
// elements far below the maximum contribute next to nothing to a sum.
__device__ inline float4 exp_float4(float4 x, float max) {
  return make_float4(__expf(x.x - max), __expf(x.y - max), __expf(x.z - max), __expf(x.w - max));
}
