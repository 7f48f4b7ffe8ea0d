// GELU in its tanh form, with the tanh instruction of the special function unit.
#pragma once

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). tanh.approx.f32 has a relative error of at
// most 2^-10.987 (PTX ISA): less than the rounding to bf16.
__device__ inline float gelu(float x) {
  constexpr float kScale = 0.7978845608f;  // sqrt(2 / pi)
  constexpr float kCubic = kScale * 0.044715f;
  const float inner = x * fmaf(kCubic * x, x, kScale);
  float tanh_of_inner;
  asm("tanh.approx.f32 %0, %1;" : "=f"(tanh_of_inner) : "f"(inner));
  const float half = 0.5f * x;
  return fmaf(half, tanh_of_inner, half);
}
