// The approximate functions, ex2 to tanh. They compute in double with polynomials and round once.
// The result is well within the error that the PTX manual permits (2 ulp for ex2, 2^-20.5 absolute
// for sin) and nearly always correctly rounded. They use no fma and no library call, so that every
// instruction set gives the same bits and the loops vectorize.
#pragma once

#include "virtual_gpu/machine/lanes/operations/minifloat.h"

namespace ridge::machine::RIDGE_LANES {

// Adding 1.5 * 2^52 to a double rounds it to an integer, which is then in the low bits of the sum.
inline constexpr double kToInteger = 0x1.8p52;

// 2^x for |x| <= 1000: 2^n from the exponent field, 2^f for |f| <= 1/2 from Taylor's series (error
// 2e-10).
inline double exp2_in_double(double x) {
  x = x > 1000 ? 1000 : x;
  x = x < -1000 ? -1000 : x;
  const double shifted = x + kToInteger;
  const double f = (x - (shifted - kToInteger)) * 0.69314718055994530942;
  double p = 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  return x != x ? x : double_of(bits_of(p) + (bits_of(shifted) << 52));
}
inline constexpr auto ex2 = [](float x) {
  return static_cast<float>(exp2_in_double(static_cast<double>(x)));
};

// x = 2^k * m, m in [sqrt(1/2), sqrt(2)): k + log2(m), log2(m) = 2/ln 2 * atanh((m - 1) / (m + 1))
// (error 2e-12).
inline constexpr auto lg2 = [](float a) {
  const double x = static_cast<double>(a);
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcdu;
  constexpr uint64_t kBias = 1024;
  const uint64_t k = ((bits_of(x) - kRootHalf + (kBias << 52)) >> 52) - kBias;
  const double m = double_of(bits_of(x) - (k << 52));
  const double k_value = double_of(bits_of(kToInteger) + k) - kToInteger;
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double p = 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  const auto result = static_cast<float>(k_value + s * p * 2.88539008177792681472);
  const float infinity = __builtin_inff();
  const float not_positive = a == 0 ? -infinity : __builtin_nanf("");
  return a > 0 ? (a == infinity ? infinity : result) : not_positive;
};

// In units of a full turn, as in hardware: t = x / 2 pi minus its integer part, so every finite
// argument gives a value in [-1, 1]. The quarter of the turn selects the sine or the cosine of the
// remainder, at most pi / 4 (errors 2e-9 and 1e-10).
template <int kQuarterTurns>
constexpr auto sine = [](float a) {
  double t = static_cast<double>(a) * 0.15915494309189533577;
  t -= __builtin_rint(t);
  const double shifted = 4 * t + kToInteger;
  const uint64_t quadrant = bits_of(shifted) + kQuarterTurns;
  const double r = (4 * t - (shifted - kToInteger)) * 1.57079632679489661923;
  const double z = r * r;
  const double sin_r = r * ((((z / 362880 - 1.0 / 5040) * z + 1.0 / 120) * z - 1.0 / 6) * z + 1);
  const double cos_r = ((((1.0 / 40320 - z / 3628800) * z - 1.0 / 720) * z + 1.0 / 24) * z - 0.5) * z + 1;
  const double chosen = quadrant & 1 ? cos_r : sin_r;
  const auto result = static_cast<float>(quadrant & 2 ? -chosen : chosen);
  return kQuarterTurns == 0 && a == 0 ? a : result;  // sin(-0) = -0
};

// tanh x = 1 - 2 / (e^2x + 1); near 0, where that cancels, x - x^3/3.
inline constexpr auto tanh_approx = [](float a) {
  const double x = static_cast<double>(a);
  const double far = 1 - 2 / (exp2_in_double(x * 2.88539008177792681472) + 1);
  const double near = x - x * x * x * (1.0 / 3);
  return static_cast<float>(__builtin_fabs(x) < 0x1p-10 ? near : far);
};

inline constexpr auto rsqrt = [](float a) {
  return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(a)));
};

// div.approx multiplies by the reciprocal, which is flushed for divisors above 2^126: the quotient
// is 0 (inf / x: NaN).
inline constexpr auto div_approx = [](float a, float b) {
  const bool flushes = (__builtin_fabsf(b) > 0x1p126f) & (b - b == 0);
  return flushes ? a * __builtin_copysignf(0.0f, b) : a / b;
};

// The double functions with .ftz use only the upper 32 bits of their operand, and return only
// those.
inline double upper_half(double a) {
  return double_of(bits_of(a) & 0xffffffff00000000u);
}
inline double flush(double a) {
  return __builtin_fabs(a) < 0x1p-1022 ? __builtin_copysign(0.0, a) : a;
}
inline constexpr auto rcp_f64 = [](double a) { return upper_half(flush(1 / upper_half(flush(a)))); };
inline constexpr auto rsqrt_ftz_f64 = [](double a) {
  return upper_half(1 / __builtin_sqrt(upper_half(flush(a))));
};
inline constexpr auto rsqrt_f64 = [](double a) { return 1 / __builtin_sqrt(a); };

}  // namespace ridge::machine::RIDGE_LANES
