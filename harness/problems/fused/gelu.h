// GELU in its tanh form, its slope, and the tolerance of a rounded result, for the references of
// fused problems.
#pragma once

#include <cmath>

#include "harness/problems/element.h"

namespace ridge::problems {

inline constexpr double kGeluScale = 0.7978845608028654;  // sqrt(2 / pi)
inline constexpr double kGeluCubic = 0.044715;

inline double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(kGeluScale * (x + kGeluCubic * x * x * x)));
}

inline double gelu_slope(double x) {
  const double s = std::tanh(kGeluScale * (x + kGeluCubic * x * x * x));
  if (std::fabs(s) == 1) return s > 0 ? 1 : 0;
  return 0.5 * (1 + s) + 0.5 * x * (1 - s * s) * kGeluScale * (1 + 3 * kGeluCubic * x * x);
}

// For the result gelu(x) in bfloat16. x may be rounded to bfloat16 as well (a kernel that is not
// fused stores it), and tanh may be approximate: the relative error of tanh.approx.f32 is at most
// 2^-10.987 (PTX ISA), here half of it counts, twice.
inline double tolerance_of_gelu(double x) {
  const double rounded = std::fabs(gelu(x)) + std::fabs(gelu_slope(x) * x);
  return 1.05 * unit_roundoff(Type::bfloat16) * rounded + 0x1p-11 * std::fabs(x) +
         smallest_normal(Type::bfloat16);
}

}  // namespace ridge::problems
