// libdevice: the error function.
#pragma once

namespace ridge_cuda {

// e^(-x^2), the square in two doubles
RIDGE_DEVICE double exp_of_minus_square(double x) {
  const TwoDoubles square = product(x, x);
  return exp_of_two(-square.high, -square.low);
}
// erf(x) for 0 <= x <= 2.5: 2 x e^(-x^2) / sqrt(pi) times the sum of (2 x^2)^n / (1 3 5 ... (2 n + 1)), whose terms are
// all positive.
RIDGE_DEVICE double erf_series(double x) {
  const double twice = 2 * x * x;
  double term = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    term *= twice / (2 * n + 1);
    sum += term;
  }
  const double factor = x * 0x1.20dd750429b6dp+0 * exp_of_minus_square(x);
  return fused(factor, sum, factor);
}
// erf(x) for 0.25 <= x <= 1 in two doubles: the sum of (-1)^n x^(2 n + 1) / (n! (2 n + 1)), times 2 / sqrt(pi).
RIDGE_DEVICE TwoDoubles erf_in_two(double x) {
  const TwoDoubles square = product(x, x);
  TwoDoubles power{x, 0.0}, sum{x, 0.0};
  for (int n = 1; n < 26; ++n) {
    power = product(power, square);
    const double by = static_cast<double>(-n);
    const double high = power.high / by;
    power = {high, (fused(-high, by, power.high) + power.low) / by};
    const double odd = static_cast<double>(2 * n + 1);
    const double term = power.high / odd;
    const TwoDoubles next = ordered_sum(sum.high, term);
    sum = ordered_sum(next.high,
                      next.low + sum.low + (fused(-term, odd, power.high) + power.low) / odd);
  }
  return product(sum, {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56});
}
// erfc(x) for x > 1: e^(-x^2) / sqrt(pi) over the continued fraction x + (1/2) / (x + 1 / (x + (3/2) / (x + ...))),
// from its end.
RIDGE_DEVICE double erfc_value_of_fraction(double x) {
  const int terms = x < 2 ? 200 : 60;
  double value = x;
  for (int n = terms; n >= 1; --n)
    value = x + 0.5 * n / value;
  return value;
}
RIDGE_DEVICE double erfc_fraction(double x) {
  const double value = erfc_value_of_fraction(x);
  const double factor = 0x1.20dd750429b6dp-1 / value;  // 1 / sqrt(pi) over the fraction
  const double rest = (fused(-factor, value, 0x1.20dd750429b6dp-1) + 0x1.1ae3a914fed80p-57) / value;
  const double e = exp_of_minus_square(x);
  return fused(e, factor, e * rest);
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_erf(double x) {
  if (x != x) return x;
  const double size = __builtin_fabs(x);
  if (size > 6) return __builtin_copysign(1.0, x);
  return __builtin_copysign(
      size < 1 ? ridge_cuda::erf_series(size) : 1.0 - ridge_cuda::erfc_fraction(size), x);
}
RIDGE_LIBDEVICE double __nv_erfc(double x) {
  if (x != x) return x;
  if (x < 0.25) return 1.0 - __nv_erf(x);
  if (x > 27.3) return 0.0;
  if (x >= 1) return ridge_cuda::erfc_fraction(x);
  const ridge_cuda::TwoDoubles erf = ridge_cuda::erf_in_two(x);
  return (1.0 - erf.high) - erf.low;
}
RIDGE_LIBDEVICE double __nv_normcdf(double x) {
  return 0.5 * __nv_erfc(x * -0x1.6a09e667f3bcdp-1);
}
