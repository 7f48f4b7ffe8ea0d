// How a block takes a row of floats into its registers, 16 bytes a lane, and puts it back. Rungs 5 to 8 use
// it.
//
// A quad is four floats of the row in one float4. Thread t of kThreads has quads number t, t + kThreads,
// t + 2 kThreads, ... so that at every load the 32 lanes of a warp lie side by side:
//
//     kThreads = 4, a row of 32 floats     quad     0    1    2    3    4    5    6    7
//                                          thread   0    1    2    3    0    1    2    3
//
// A float4 must begin at a multiple of 16 bytes. Row r begins at byte 4 r cols: that holds for every row when
// cols % 4 == 0, and then a row also has no quad that is cut. With any other cols the same four components
// are four floats that lie kThreads apart, each loaded by itself: unit stride again, a quarter of the bytes a
// request. Which column a component belongs to, a reduction does not ask.
#pragma once

#include <cuda_runtime.h>

// Quad number q of this thread; columns past the end read as `missing`. aligned: cols % 4 == 0.
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

// The way back; columns past the end are left alone.
template <int kThreads>
__device__ void store_float4(float* row, int cols, bool aligned, int q, float4 quad) {
  if (aligned) {
    const int i = q * kThreads + threadIdx.x;
    if (4 * i < cols) reinterpret_cast<float4*>(row)[i] = quad;
    return;
  }
  const int c = 4 * q * kThreads + threadIdx.x;
  if (c < cols) row[c] = quad.x;
  if (c + kThreads < cols) row[c + kThreads] = quad.y;
  if (c + 2 * kThreads < cols) row[c + 2 * kThreads] = quad.z;
  if (c + 3 * kThreads < cols) row[c + 3 * kThreads] = quad.w;
}

// The same quad into shared memory, at *kept, from where this thread reads it after wait_for_copies().
// The instruction, cp.async, copies 16 bytes past the registers: it takes none while it is on its way, and
// the thread goes on meanwhile.
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

// exp(x - max) of each component. __expf is the hardware's exponential, two instructions. Its relative error
// grows with the argument's distance from 0; here that is x's distance from the largest, and what is far from
// that adds next to nothing to a sum.
__device__ inline float4 exp_float4(float4 x, float max) {
  return make_float4(__expf(x.x - max), __expf(x.y - max), __expf(x.z - max), __expf(x.w - max));
}
