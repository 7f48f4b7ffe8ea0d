// Sums of table rows in registers, as rung 4 adds them: 8 columns per lane in float32.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

struct RowSum {
  float of[8];  // the columns of one 16-byte vector
};

__device__ inline void add(RowSum& sum, uint4 vector) {
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&vector);  // [4]
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float2 pair = __bfloat1622float2(pairs[p]);
    sum.of[2 * p] += pair.x;
    sum.of[2 * p + 1] += pair.y;
  }
}

// Rounded to bf16.
__device__ inline uint4 packed(const RowSum& sum) {
  uint4 vector;
  __nv_bfloat162* pairs = reinterpret_cast<__nv_bfloat162*>(&vector);  // [4]
#pragma unroll
  for (int p = 0; p < 4; ++p)
    pairs[p] = __floats2bfloat162_rn(sum.of[2 * p], sum.of[2 * p + 1]);
  return vector;
}

// Vector v of the sum of the rows indices[i], for i = begin .. begin + 31, then the 32 lookups that
// begin 32 * every further on, and so on below end; -1 adds nothing. A warp calls it together: its
// 32 / kLanes groups of lanes take alternate lookups, and all of them get the sum. table:
// [rows][vectors]. A lane with v >= vectors gets zeros.
template <int kLanes>
__device__ inline RowSum sum_of_rows(const uint4* table, const int64_t* indices, int begin, int end,
                                     int every, int v, int vectors) {
  constexpr int kGroups = 32 / kLanes, kInFlight = 8;  // loads per lane
  constexpr unsigned kAll = 0xffffffff;
  const int lane = threadIdx.x % 32, group = lane / kLanes;
  RowSum sum = {};
  for (int first = begin; first < end; first += 32 * every) {
    const int mine = first + lane < end ? static_cast<int>(indices[first + lane]) : -1;
    for (int at = 0; at < 32 && first + at < end; at += kGroups * kInFlight) {
      uint4 x[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const int row = __shfl_sync(kAll, mine, at + k * kGroups + group);
        x[k] = row < 0 || v >= vectors ? make_uint4(0, 0, 0, 0)
                                       : table[static_cast<int64_t>(row) * vectors + v];
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k)
        add(sum, x[k]);
    }
  }
#pragma unroll
  for (int distance = kLanes; distance < 32; distance *= 2)
#pragma unroll
    for (float& value : sum.of)
      value += __shfl_xor_sync(kAll, value, distance);
  return sum;
}
