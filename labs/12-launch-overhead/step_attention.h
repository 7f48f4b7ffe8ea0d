// Lab 12, rung 5: attention, in parts that blocks exchange. There is nothing to edit.
#pragma once

#include "step_vectors.h"

constexpr int kMostParts = 256;  // of attention: heads * splits
static __device__ float part_max[kMostParts], part_sum[kMostParts];
alignas(16) static __device__ float part_values[kMostParts][kHead];  // not divided by the sum

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

// The shared memory of a block. Attention needs no vector.
struct Memory {
  union {
    Vector x;
    Merged merged;
  };
  Stage stages[kWarps][kStages];
};
