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

// 16 bytes of a row, without a place for them in L1: the next lookup of this row is far away, and
// what goes through L1 makes room for itself.
__device__ inline uint4 load_once(const uint4* from) {
  uint4 vector;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
               : "l"(from));
  return vector;
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
