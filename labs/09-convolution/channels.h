// Eight channels at once: the 16-byte vectors of rung 3.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

// sum + the products of 8 channels of a pixel and of a filter, in float32.
__device__ inline float add_products(float sum, uint4 pixel, uint4 filter) {
  const __nv_bfloat162* a = reinterpret_cast<const __nv_bfloat162*>(&pixel);   // [4]
  const __nv_bfloat162* b = reinterpret_cast<const __nv_bfloat162*>(&filter);  // [4]
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {
    const float2 two = __bfloat1622float2(a[pair]), weights = __bfloat1622float2(b[pair]);
    sum += two.x * weights.x;
    sum += two.y * weights.y;
  }
  return sum;
}
