// libdevice: the scaled error function, and the inverses of the error functions by Halley's method.
#pragma once

namespace ridge_cuda {

// One step towards the root, where `excess` is the function's value less the wanted one over its derivative.
RIDGE_DEVICE double halley(double x, double excess) {
  return x - excess / fused(x, excess, 1.0);
}
RIDGE_DEVICE double erf_derivative(double x) {
  return 0x1.20dd750429b6dp+0 * exp_of_minus_square(x);
}

}  // namespace ridge_cuda

// erfc(x) e^(x^2)
RIDGE_LIBDEVICE double __nv_erfcx(double x) {
  if (x != x) return x;
  if (x >= 1) {
    if (x > 0x1p500) return 0x1.20dd750429b6dp-1 / x;
    return 0x1.20dd750429b6dp-1 / ridge_cuda::erfc_value_of_fraction(x);
  }
  if (x < -26.7) return __builtin_inf();
  const ridge_cuda::TwoDoubles square = ridge_cuda::product(x, x);
  return ridge_cuda::exp_of_two(square.high, square.low) * __nv_erfc(x);
}

namespace ridge_cuda {

// x with erfc(x) = y for a y below 2^-960, where erfc is subnormal: x^2 = log(erfcx(x)) - log(y), and erfcx varies
// slowly.
RIDGE_DEVICE double erfcinv_of_tiny(double y, double x) {
  for (int i = 0; i < 8; ++i)
    x = __builtin_sqrt(__nv_log(__nv_erfcx(x)) - __nv_log(y));
  return x;
}
// 0 < y <= 0.5. The beginning: Abramowitz and Stegun 26.2.23, with an error below 4.5e-4.
RIDGE_DEVICE double erfcinv_below_half(double y) {
  const double t = __builtin_sqrt(2 * (0x1.62e42fefa39efp-1 - __nv_log(y)));
  double x = 0x1.6a09e667f3bcdp-1 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                             (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  if (y < 0x1p-960) return erfcinv_of_tiny(y, x);
  for (int i = 0; i < 3; ++i)
    x = halley(x, (y - __nv_erfc(x)) / erf_derivative(x));
  return x;
}
// 0 <= y <= 0.5
RIDGE_DEVICE double erfinv_below_half(double y) {
  double x = 0x1.c5bf891b4ef6bp-1 * y;  // sqrt(pi) / 2
  if (y < 0x1p-30) return x;
  x = fused(x * y * y, 0.2617993877991494, x);
  for (int i = 0; i < 3; ++i) {
    const TwoDoubles erf = erf_in_two(x);
    x = halley(x, ((erf.high - y) + erf.low) / erf_derivative(x));
  }
  return x;
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_erfinv(double y) {
  const double size = __builtin_fabs(y);
  if (!(size <= 1)) return __builtin_nan("");
  if (size == 1) return __builtin_copysign(__builtin_inf(), y);
  return __builtin_copysign(
      size <= 0.5 ? ridge_cuda::erfinv_below_half(size) : ridge_cuda::erfcinv_below_half(1 - size),
      y);
}
RIDGE_LIBDEVICE double __nv_erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return __builtin_nan("");
  if (y == 0) return __builtin_inf();
  if (y == 2) return -__builtin_inf();
  if (y <= 0.5) return ridge_cuda::erfcinv_below_half(y);
  if (y >= 1.5) return -ridge_cuda::erfcinv_below_half(2 - y);
  return y <= 1 ? ridge_cuda::erfinv_below_half(1 - y) : -ridge_cuda::erfinv_below_half(y - 1);
}
RIDGE_LIBDEVICE double __nv_normcdfinv(double p) {
  const double x = -__nv_erfcinv(2 * p);
  if (__builtin_isinf(x)) return x;
  return ridge_cuda::fused(x, 0x1.6a09e667f3bcdp+0,
                           x * -0x1.bdd3413b26456p-54);  // sqrt(2) in two parts
}
