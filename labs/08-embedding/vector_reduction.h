// Four columns per lane: loads of bf16 gradients, and reductions of four floats at once.
#pragma once

#include <cuda_bf16.h>

// 4 neighbouring bf16, with one load of 8 bytes.
__device__ inline float4 load_4_bf16(const __nv_bfloat16* from) {
  const uint2 bits = *reinterpret_cast<const uint2*>(from);
  const float2 a = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&bits.x));
  const float2 b = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&bits.y));
  return make_float4(a.x, a.y, b.x, b.y);
}

__device__ inline float4 scaled(float4 value, float factor) {
  return make_float4(factor * value.x, factor * value.y, factor * value.z, factor * value.w);
}

__device__ inline void add(float4& sum, float4 value) {
  sum = make_float4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
}

// to[0 .. 3] += value, each float atomically; nothing is returned, so nothing is waited for. `to`
// is in global memory and a multiple of 16 bytes. Needs sm_90 (PTX ISA, "red").
__device__ inline void add_float4(float* to, float4 value) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(
                   __cvta_generic_to_global(to)),
               "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
               : "memory");
}
