// A number as the sum of two doubles, and Horner's rule.
#pragma once

namespace ridge_cuda {

RIDGE_DEVICE double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// c[0] + z (c[1] + z (c[2] + ...))
RIDGE_DEVICE double polynomial(double, double c) {
  return c;
}
template <class... More>
RIDGE_DEVICE double polynomial(double z, double c, More... more) {
  return fused(z, polynomial(z, more...), c);
}

struct TwoDoubles {
  double high, low;
};
// |a| >= |b|
RIDGE_DEVICE TwoDoubles ordered_sum(double a, double b) {
  const double high = __nvvm_add_rn_d(a, b);
  return {high, __nvvm_add_rn_d(b, -__nvvm_add_rn_d(high, -a))};
}
RIDGE_DEVICE TwoDoubles product(double a, double b) {
  const double high = __nvvm_mul_rn_d(a, b);
  return {high, fused(a, b, -high)};
}
RIDGE_DEVICE TwoDoubles product(TwoDoubles a, TwoDoubles b) {
  TwoDoubles p = product(a.high, b.high);
  p.low += fused(a.high, b.low, a.low * b.high);
  return ordered_sum(p.high, p.low);
}

RIDGE_DEVICE unsigned long long bits_of_double(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
RIDGE_DEVICE double double_of_bits(unsigned long long a) {
  return __builtin_bit_cast(double, a);
}

inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace ridge_cuda
