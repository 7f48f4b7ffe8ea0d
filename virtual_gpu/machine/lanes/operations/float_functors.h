// Floating-point arithmetic on one lane's values, for float and double alike.
#pragma once

#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float root(float a) { return __builtin_sqrtf(a); }
inline double root(double a) { return __builtin_sqrt(a); }
inline float magnitude(float a) { return __builtin_fabsf(a); }
inline double magnitude(double a) { return __builtin_fabs(a); }

// clang-format off
inline constexpr auto fadd  = [](auto a, auto b) { return a + b; };
inline constexpr auto fsub  = [](auto a, auto b) { return a - b; };
inline constexpr auto fmul  = [](auto a, auto b) { return a * b; };
inline constexpr auto fdiv  = [](auto a, auto b) { return a / b; };
inline constexpr auto ffma  = [](auto a, auto b, auto c) { return fused(a, b, c); };
inline constexpr auto frcp  = [](auto a) { return decltype(a)(1) / a; };
inline constexpr auto fsqrt = [](auto a) { return root(a); };
inline constexpr auto fabs  = [](auto a) { return magnitude(a); };
inline constexpr auto fneg  = [](auto a) { return -a; };
// clang-format on

// IEEE 754-2008's minNum and maxNum, with -0 below +0: one NaN loses to a number, two give NaN. Equal values are zeros
// of different sign, or the same bits: joining the bits keeps the right sign.
inline constexpr auto fmin = [](auto a, auto b) {
  using Value = decltype(a);
  const Value equal = __builtin_bit_cast(Value, bits_of(a) | bits_of(b));
  const Value smaller = a == b ? equal : a < b ? a : b;
  return a != a ? b : b != b ? a : smaller;
};
inline constexpr auto fmax = [](auto a, auto b) {
  using Value = decltype(a);
  const Value equal = __builtin_bit_cast(Value, bits_of(a) & bits_of(b));
  const Value larger = a == b ? equal : a > b ? a : b;
  return a != a ? b : b != b ? a : larger;
};
// `.NaN`: one NaN is enough.
template <auto kChoose>
constexpr auto or_nan = [](auto a, auto b) { return a != a ? a : b != b ? b : kChoose(a, b); };
// `.xorsign.abs`: of the magnitudes, with the sign of the product.
template <auto kChoose>
constexpr auto xorsign = [](float a, float b) {
  const float chosen = kChoose(magnitude(a), magnitude(b));
  return float_of(bits_of(chosen) ^ ((bits_of(a) ^ bits_of(b)) & 0x80000000u));
};
template <auto kChoose>
constexpr auto of_three = [](auto a, auto b, auto c) { return kChoose(kChoose(a, b), c); };

}  // namespace ridge::machine::RIDGE_LANES
