// Lab 12, rung 5: the vectors that a block multiplies by, and its product of 8 weights. There is
// nothing to edit.
#pragma once

#include "unit_copies.h"

// What is exchanged between blocks.
alignas(16) static __device__ float residual[kMostColumns];  // x between the layers
alignas(16) static __device__ float query[kMostColumns], activated[kMostColumns];

struct Eight {
  float4 low, high;
};

// The vector that a block multiplies by, in shared memory: of every 8 elements 4 lie in `low` and 4
// in `high`, so that neighbouring lanes read neighbouring 16 bytes of each.
struct Vector {
  float4 low[kMostColumns / 8], high[kMostColumns / 8];

  __device__ Eight at(int column) const {  // `column` is a multiple of 8
    return {low[column / 8], high[column / 8]};
  }
  __device__ float4& four(int column) {  // `column` is a multiple of 4
    return (column % 8 == 0 ? low : high)[column / 8];
  }
};

// sum + 8 weights times 8 floats, in two sums that need not wait for each other.
__device__ inline float dot(uint4 weights, Eight x, float sum) {
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&weights);  // [4]
  const float2 a = __bfloat1622float2(pairs[0]), b = __bfloat1622float2(pairs[1]);
  const float2 c = __bfloat1622float2(pairs[2]), d = __bfloat1622float2(pairs[3]);
  float even = fmaf(a.x, x.low.x, sum), odd = a.y * x.low.y;
  even = fmaf(b.x, x.low.z, even), odd = fmaf(b.y, x.low.w, odd);
  even = fmaf(c.x, x.high.x, even), odd = fmaf(c.y, x.high.y, odd);
  even = fmaf(d.x, x.high.z, even), odd = fmaf(d.y, x.high.w, odd);
  return even + odd;
}

template <int kFirst = 16>
__device__ inline float sum_of_lanes(float value) {
#pragma unroll
  for (int d = kFirst; d > 0; d /= 2)
    value += __shfl_xor_sync(0xffffffff, value, d);
  return value;
}

__device__ inline float gelu(float x) {
  return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__device__ inline float4 four_at(const float* from, int column) {
  return *reinterpret_cast<const float4*>(from + column);
}

// x = norm(from), by all threads of the block. A thread has at most kFours times 4 elements.
constexpr int kFours = (kMostColumns / 4 + kThreads - 1) / kThreads;
__device__ inline void load_normalized(Vector& x, const float* from, int width) {
  __shared__ float sums[kWarps];
  float4 own[kFours];
  float squares = 0;
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    const int c = 4 * (i * kThreads + threadIdx.x);
    if (c >= width) break;
    own[i] = four_at(from, c);
    squares = fmaf(own[i].x, own[i].x, fmaf(own[i].y, own[i].y, squares));
    squares = fmaf(own[i].z, own[i].z, fmaf(own[i].w, own[i].w, squares));
  }
  squares = sum_of_lanes(squares);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = sum_of_lanes(threadIdx.x % 32 < kWarps ? sums[threadIdx.x % 32] : 0);
  const float factor = 1 / sqrtf(squares / width + kNormEpsilon);
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    const int c = 4 * (i * kThreads + threadIdx.x);
    if (c >= width) break;
    x.four(c) =
        make_float4(own[i].x * factor, own[i].y * factor, own[i].z * factor, own[i].w * factor);
  }
  __syncthreads();
}

__device__ inline void load_activated(Vector& x, int hidden) {
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    const int c = 4 * (i * kThreads + threadIdx.x);
    if (c < hidden) x.four(c) = four_at(activated, c);
  }
  __syncthreads();
}
