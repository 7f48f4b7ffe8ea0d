// Lab 12, rung 5: what a block does besides reading weights. There is nothing to edit.
#pragma once

#include "unit_copies.h"

constexpr int kMostParts = 256;  // of attention: heads * splits

// What is exchanged between blocks.
alignas(16) static __device__ float residual[kMostColumns];  // x between the layers
alignas(16) static __device__ float query[kMostColumns], activated[kMostColumns];
static __device__ float part_max[kMostParts], part_sum[kMostParts];
alignas(16) static __device__ float part_values[kMostParts][kHead];  // not divided by the sum

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

// x = the attention of all heads: the parts of each head, brought to the same maximum.
__device__ inline void load_attended(Vector& x, int width, int splits) {
  for (int c = 4 * threadIdx.x; c < width; c += 4 * kThreads) {
    const int first = c / kHead * splits;
    float m = -INFINITY, sum = 0;
    float4 value = {};
    for (int s = 0; s < splits; ++s)
      m = fmaxf(m, part_max[first + s]);
#pragma unroll 4
    for (int s = 0; s < splits; ++s) {
      const float factor = expf(part_max[first + s] - m);
      const float4 part = four_at(part_values[first + s], c % kHead);
      sum += factor * part_sum[first + s];
      value.x += factor * part.x, value.y += factor * part.y;
      value.z += factor * part.z, value.w += factor * part.w;
    }
    x.four(c) = make_float4(value.x / sum, value.y / sum, value.z / sum, value.w / sum);
  }
  __syncthreads();
}

// The keys of a head that a warp has seen: their largest score, the sum of exp(score - m), and the
// sum of exp(score - m) * value. Lane i has the keys 4 p + i / 8 of a unit in `l` and `o`, and of
// the values the columns 8 (i % 8) to 8 (i % 8) + 7.
struct Seen {
  float m = -INFINITY, l = 0, o[8] = {};
};

// Adds a unit: its pieces 0 to 3 are keys, 4 to 7 values. q: the query's columns of this lane.
// Keys from number `there` on are beyond the last one.
__device__ inline void attend(Seen& seen, const Stage& unit, Eight q, int there) {
  const int lane = threadIdx.x % 32;
  float scores[4], m = seen.m;
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float score = sum_of_lanes<4>(dot(unit.pieces[p][lane], q, 0)) / 8;
    scores[p] = 4 * p + lane / 8 < there ? score : -INFINITY;
    m = fmaxf(m, scores[p]);
  }
  m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 8));
  m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 16));
  if (m == -INFINITY) return;
  const float before = expf(seen.m - m);
  seen.m = m;
  seen.l *= before;
#pragma unroll
  for (int e = 0; e < 8; ++e)
    seen.o[e] *= before;
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float weight = expf(scores[p] - m);
    const uint4 piece = unit.pieces[4 + p][lane];
    const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&piece);  // [4]
    seen.l += weight;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 pair = __bfloat1622float2(pairs[e]);
      seen.o[2 * e] = fmaf(weight, pair.x, seen.o[2 * e]);
      seen.o[2 * e + 1] = fmaf(weight, pair.y, seen.o[2 * e + 1]);
    }
  }
}

// The room in which the warps of a block merge what they have seen.
struct Merged {
  float maxima[kWarps], sums[kWarps];
  float values[kWarps][kHead];
};

// Merges what the warps of the block have seen, and stores it as a part of attention.
__device__ inline void store_part(Merged& room, Seen seen, int part) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int d = 16; d >= 8; d /= 2) {
    seen.l += __shfl_xor_sync(0xffffffff, seen.l, d);
#pragma unroll
    for (int e = 0; e < 8; ++e)
      seen.o[e] += __shfl_xor_sync(0xffffffff, seen.o[e], d);
  }
  if (lane == 0) room.maxima[warp] = seen.m, room.sums[warp] = seen.l;
  if (lane < 8)
    for (int e = 0; e < 8; ++e)
      room.values[warp][8 * lane + e] = seen.o[e];
  __syncthreads();
  if (threadIdx.x < kHead) {
    float m = -INFINITY, sum = 0, value = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w)
      m = fmaxf(m, room.maxima[w]);
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const float factor = m == -INFINITY ? 0 : expf(room.maxima[w] - m);
      sum += factor * room.sums[w];
      value += factor * room.values[w][threadIdx.x];
    }
    part_values[part][threadIdx.x] = value;
    if (threadIdx.x == 0) part_max[part] = m, part_sum[part] = sum;
  }
  __syncthreads();
}
