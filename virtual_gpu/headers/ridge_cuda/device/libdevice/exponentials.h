// libdevice: exp, exp2, exp10, expm1. The argument is k ln 2 + r with |r| <= ln(2) / 2; e^r is its Taylor series.
#pragma once

namespace ridge_cuda {

// (e^r - 1 - r) / r^2 for |r| <= 0.35
RIDGE_DEVICE double exp_tail(double r) {
  return polynomial(r, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                    1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600,
                    1.0 / 6227020800.0, 1.0 / 87178291200.0);
}
// 2^k e^(r + low) for a small `low`
RIDGE_DEVICE double exp_reduced(double r, double low, double k) {
  const double p = fused(r * r, exp_tail(r), low) + r;
  return scaled(1.0 + p, static_cast<int>(k));
}
// exp(x + low)
RIDGE_DEVICE double exp_of_two(double x, double low) {
  if (x != x) return x;
  if (x > 709.8) return __builtin_inf();
  if (x < -745.2) return 0.0;
  const double k = __builtin_rint(x * 0x1.71547652b82fep+0);
  const double r = fused(k, -kLn2High, x);  // exact
  const TwoDoubles reduced = ordered_sum(r, fused(k, -kLn2Low, low));
  return exp_reduced(reduced.high, reduced.low, k);
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_exp(double x) {
  return ridge_cuda::exp_of_two(x, 0.0);
}
RIDGE_LIBDEVICE double __nv_exp2(double x) {
  if (x != x) return x;
  if (x >= 1024) return __builtin_inf();
  if (x < -1075) return 0.0;
  const double k = __builtin_rint(x);
  const ridge_cuda::TwoDoubles r = ridge_cuda::product(x - k, 0x1.62e42fefa39efp-1);
  return ridge_cuda::exp_reduced(r.high, ridge_cuda::fused(x - k, 0x1.abc9e3b39803fp-56, r.low), k);
}
RIDGE_LIBDEVICE double __nv_exp10(double x) {
  if (x != x) return x;
  if (x > 308.3) return __builtin_inf();
  if (x < -323.7) return 0.0;
  const double k = __builtin_rint(x * 0x1.a934f0979a371p+1);
  double rest = ridge_cuda::fused(k, -0x1.3441350800000p-2, x);  // exact: 32 bits of log10(2)
  const ridge_cuda::TwoDoubles part = ridge_cuda::product(k, -0x1.f79fef311f12bp-34);
  const ridge_cuda::TwoDoubles sum = ridge_cuda::ordered_sum(rest, part.high);
  const ridge_cuda::TwoDoubles r = ridge_cuda::product(
      {sum.high, sum.low + part.low}, {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53});
  return ridge_cuda::exp_reduced(r.high, r.low, k);
}
RIDGE_LIBDEVICE double __nv_expm1(double x) {
  using namespace ridge_cuda;
  if (x != x || x == 0) return x;
  if (x > 709.8) return __builtin_inf();
  if (x < -40) return -1.0;
  if (__builtin_fabs(x) < 0.34) return fused(x * x, exp_tail(x), x);
  const double k = __builtin_rint(x * 0x1.71547652b82fep+0);
  const TwoDoubles r = ordered_sum(fused(k, -kLn2High, x), k * -kLn2Low);
  const double p = fused(r.high * r.high, exp_tail(r.high), r.low) + r.high;
  if (k > 60) return scaled(1.0 + p, static_cast<int>(k));
  const double scale = power_of_two(static_cast<int>(k));
  return fused(scale, p, scale - 1.0);
}
