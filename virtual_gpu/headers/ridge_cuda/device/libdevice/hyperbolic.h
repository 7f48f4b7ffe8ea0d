// libdevice: hyperbolic functions and their inverses, from expm1 and log in two doubles.
#pragma once

namespace ridge_cuda {
// e^x / 2 where e^x may be too large.
RIDGE_DEVICE double scaled_exp_half(double x) {
  const double half = exp_of_two(0.5 * x, 0.0);
  return 0.5 * half * half;
}
}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_sinh(double x) {
  const double size = __builtin_fabs(x);
  if (size < 0x1p-26 || x != x) return x;
  double value;
  if (size < 20) {
    const double e = __nv_expm1(size);
    value = size < 1 ? 0.5 * (2 * e - e * e / (e + 1)) : 0.5 * (e + e / (e + 1));
  } else {
    value = size < 709 ? 0.5 * __nv_exp(size) : ridge_cuda::scaled_exp_half(size);
  }
  return __builtin_copysign(value, x);
}
RIDGE_LIBDEVICE double __nv_cosh(double x) {
  const double size = __builtin_fabs(x);
  if (size < 20) {
    const double e = __nv_exp(size);
    return 0.5 * e + 0.5 / e;
  }
  return size < 709 ? 0.5 * __nv_exp(size) : ridge_cuda::scaled_exp_half(size);
}
RIDGE_LIBDEVICE double __nv_tanh(double x) {
  const double size = __builtin_fabs(x);
  if (size < 0x1p-28 || x != x) return x;
  double value = 1.0;
  if (size < 22) {
    const double e = __nv_expm1(2 * size);
    value = size < 0.55 ? e / (e + 2) : 1.0 - 2.0 / (e + 2);
  }
  return __builtin_copysign(value, x);
}

namespace ridge_cuda {
// log(1 + a + low) for a >= 0, to a double.
RIDGE_DEVICE double log1p_of_two(double a, double low) {
  if (a < 0.41) {
    const TwoDoubles near = log_near_one(a, low);
    return near.high + near.low;
  }
  const TwoDoubles u = ordered_sum(a > 1 ? a : 1.0, a > 1 ? 1.0 : a);
  const TwoDoubles log = log_in_two(u.high);
  return log.high + (log.low + (u.low + low) / u.high);
}
}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_asinh(double x) {
  using namespace ridge_cuda;
  const double size = __builtin_fabs(x);
  if (size < 0x1p-28 || !(size < __builtin_inf())) return x;
  double value;
  if (size > 0x1p28) {
    const TwoDoubles log = log_in_two(size);
    value = (log.high + 0x1.62e42fefa39efp-1) + log.low;
  } else {  // log(1 + x + x^2 / (1 + sqrt(1 + x^2)))
    const double square = size * size;
    value = log1p_of_two(size + square / (1.0 + __nvvm_sqrt_rn_d(1.0 + square)), 0.0);
  }
  return __builtin_copysign(value, x);
}
RIDGE_LIBDEVICE double __nv_acosh(double x) {
  using namespace ridge_cuda;
  if (!(x >= 1)) return __builtin_nan("");
  if (x == __builtin_inf()) return x;
  if (x > 0x1p28) {
    const TwoDoubles log = log_in_two(x);
    return (log.high + 0x1.62e42fefa39efp-1) + log.low;
  }
  const double t = x - 1.0;
  return log1p_of_two(t + __nvvm_sqrt_rn_d(2 * t + t * t), 0.0);
}
RIDGE_LIBDEVICE double __nv_atanh(double x) {
  using namespace ridge_cuda;
  const double size = __builtin_fabs(x);
  if (size < 0x1p-28 || x != x) return x;
  if (size >= 1) return size == 1 ? __builtin_copysign(__builtin_inf(), x) : __builtin_nan("");
  // 0.5 log(1 + 2 x / (1 - x)), the quotient in two doubles
  const double below = 1.0 - size;
  const double lost = (1.0 - below) - size;
  const double quotient = 2 * size / below;
  const double rest = (fused(-quotient, below, 2 * size) - quotient * lost) / below;
  return __builtin_copysign(0.5 * log1p_of_two(quotient, rest), x);
}
