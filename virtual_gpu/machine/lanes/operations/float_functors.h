// Floating-point arithmetic on one lane's values, for float and double alike.
#pragma once

#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {

inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float root(float a) {
  return __builtin_sqrtf(a);
}
inline double root(double a) {
  return __builtin_sqrt(a);
}
inline float magnitude(float a) {
  return __builtin_fabsf(a);
}
inline double magnitude(double a) {
  return __builtin_fabs(a);
}

// clang-format off
inline constexpr auto fadd  = [](auto a, auto b) { return a + b; };
inline constexpr auto fsub  = [](auto a, auto b) { return a - b; };
inline constexpr auto fmul  = [](auto a, auto b) { return a * b; };
inline constexpr auto fdiv  = [](auto a, auto b) { return a / b; };
inline constexpr auto ffma  = [](auto a, auto b, auto c) { return fused(a, b, c); };
inline constexpr auto ffms  = [](auto a, auto b, auto c) { return fused(a, b, -c); };
inline constexpr auto ffnma = [](auto a, auto b, auto c) { return fused(-a, b, c); };
inline constexpr auto frcp  = [](auto a) { return decltype(a)(1) / a; };
inline constexpr auto fsqrt = [](auto a) { return root(a); };
inline constexpr auto fabs  = [](auto a) { return magnitude(a); };
inline constexpr auto fneg  = [](auto a) { return -a; };
// clang-format on

// Converts a float's bits to an integer with the same order, -0 below +0, and back: in negative
// numbers the bits below the sign are inverted.
template <class Bits>
constexpr auto ordered(Bits bits) {
  constexpr int kTop = 8 * sizeof(Bits) - 1;
  return static_cast<std::make_signed_t<Bits>>(bits ^ ((Bits(0) - (bits >> kTop)) & ~(Bits(1) << kTop)));
}
template <class Value>
constexpr auto ones_if_nan(Value value) {
  const auto bits = bits_of(value);
  constexpr auto kInfinity = __builtin_bit_cast(decltype(bits_of(value)), Value(__builtin_inf()));
  return ones_if_greater(bits & ~(decltype(bits)(1) << (8 * sizeof bits - 1)), kInfinity);
}

// minNum and maxNum of IEEE 754-2008, with -0 below +0: a number is preferred to NaN; two NaN give
// NaN.
template <bool kMaximum>
constexpr auto choose = [](auto a, auto b) {
  using Value = decltype(a);
  using Bits = decltype(bits_of(a));
  const auto x = ordered(bits_of(a)), y = ordered(bits_of(b));
  const auto chosen = kMaximum ? (x > y ? x : y) : (x < y ? x : y);
  Bits result = static_cast<Bits>(ordered(static_cast<Bits>(chosen)));
  result = replace(result, bits_of(b), ones_if_nan(a));
  result = replace(result, bits_of(a), ones_if_nan(b));
  return __builtin_bit_cast(Value, result);
};
inline constexpr auto fmin = choose<false>;
inline constexpr auto fmax = choose<true>;
// `.NaN`: the result is NaN if any operand is.
template <auto kChoose>
constexpr auto or_nan = [](auto a, auto b) {
  using Value = decltype(a);
  // All ones are a NaN.
  const auto chosen = bits_of(kChoose(a, b)) | ones_if_nan(a) | ones_if_nan(b);
  return __builtin_bit_cast(Value, chosen);
};
// `.xorsign.abs`: compares magnitudes; the result has the sign of the product.
template <auto kChoose>
constexpr auto xorsign = [](float a, float b) {
  const float chosen = kChoose(magnitude(a), magnitude(b));
  return float_of(bits_of(chosen) ^ ((bits_of(a) ^ bits_of(b)) & 0x80000000u));
};
template <auto kChoose>
constexpr auto of_three = [](auto a, auto b, auto c) { return kChoose(kChoose(a, b), c); };

}  // namespace ridge::machine::RIDGE_LANES
