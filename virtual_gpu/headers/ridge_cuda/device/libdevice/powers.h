// libdevice: pow, cube roots, lengths and remainders.
#pragma once

namespace ridge_cuda {

// x > 0, finite; y finite: x^y
RIDGE_DEVICE double power(double x, double y) {
  const TwoDoubles log = log_in_two(x);
  const TwoDoubles p = product(y, log.high);
  if (!(__builtin_fabs(p.high) < 800)) return p.high > 0 ? __builtin_inf() : 0.0;
  const TwoDoubles exponent = ordered_sum(p.high, fused(y, log.low, p.low));
  return exp_of_two(exponent.high, exponent.low);
}

}  // namespace ridge_cuda

// The special cases are those of ISO C (annex F).
RIDGE_LIBDEVICE double __nv_pow(double x, double y) {
  if (y == 0 || x == 1) return 1.0;
  if (x != x || y != y) return x + y;
  const double size = __builtin_fabs(x);
  const bool whole = __nvvm_trunc_d(y) == y;
  const bool odd = whole && __builtin_fabs(y) < 0x1p53 && __nvvm_trunc_d(y * 0.5) * 2 != y;
  if (__builtin_fabs(y) == __builtin_inf())
    return size == 1 ? 1.0 : (size > 1) == (y > 0) ? __builtin_inf() : 0.0;
  double result;
  if (size == 0 || size == __builtin_inf())
    result = (size == 0) == (y > 0) ? 0.0 : __builtin_inf();
  else if (x < 0 && !whole)
    return __builtin_nan("");
  else
    result = ridge_cuda::power(size, y);
  return odd ? __builtin_copysign(result, x) : result;
}
RIDGE_LIBDEVICE double __nv_powi(double x, int y) {
  return __nv_pow(x, static_cast<double>(y));
}

// An estimate by pow, and one step of Newton's method.
inline __device__ double ridge_normal_cbrt(double x) {
  const double size = __builtin_fabs(x);
  if (size == 0 || !(size < __builtin_inf())) return x;
  const double root = ridge_cuda::power(size, 0x1.5555555555555p-2);
  const ridge_cuda::TwoDoubles square = ridge_cuda::product(root, root);
  const double rest = ridge_cuda::fused(-root, square.high, size) - root * square.low;
  return __builtin_copysign(root + rest / (3 * square.high), x);
}
RIDGE_LIBDEVICE double __nv_cbrt(double x) {
  return __builtin_fabs(x) < 0x1p-900 ? 0x1p-300 * ridge_normal_cbrt(x * 0x1p900)
                                      : ridge_normal_cbrt(x);
}
RIDGE_LIBDEVICE double __nv_rcbrt(double x) {
  return 1.0 / __nv_cbrt(x);
}

RIDGE_LIBDEVICE double __nv_hypot(double x, double y) {
  using namespace ridge_cuda;
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (a == __builtin_inf() || b == __builtin_inf()) return __builtin_inf();
  if (a != a || b != b) return a + b;
  if (a < b) {
    const double larger = b;
    b = a;
    a = larger;
  }
  if (a == 0) return 0.0;
  int exponent;
  mantissa_of(a, exponent);
  a = scaled(a, -exponent);
  b = scaled(b, -exponent);
  const TwoDoubles aa = product(a, a), bb = product(b, b);
  const TwoDoubles sum = ordered_sum(aa.high, bb.high);
  const double root = __nvvm_sqrt_rn_d(sum.high);
  const double rest = fused(-root, root, sum.high) + (sum.low + aa.low + bb.low);
  return scaled(root + rest / (2 * root), exponent);
}
RIDGE_LIBDEVICE double __nv_rhypot(double x, double y) {
  return 1.0 / __nv_hypot(x, y);
}
RIDGE_LIBDEVICE double __nv_norm3d(double x, double y, double z) {
  return __nv_hypot(__nv_hypot(x, y), z);
}
RIDGE_LIBDEVICE double __nv_norm4d(double x, double y, double z, double w) {
  return __nv_hypot(__nv_hypot(x, y), __nv_hypot(z, w));
}
RIDGE_LIBDEVICE double __nv_norm(int count, const double* x) {
  double all = 0;
  for (int i = 0; i < count; ++i)
    all = __nv_hypot(all, x[i]);
  return all;
}
RIDGE_LIBDEVICE double __nv_rnorm(int count, const double* x) {
  return 1.0 / __nv_norm(count, x);
}
RIDGE_LIBDEVICE float __nv_normf(int count, const float* x) {
  double squares = 0;
  for (int i = 0; i < count; ++i)
    squares = __builtin_fma(static_cast<double>(x[i]), static_cast<double>(x[i]), squares);
  return static_cast<float>(__builtin_sqrt(squares));
}
RIDGE_LIBDEVICE float __nv_rnormf(int count, const float* x) {
  double squares = 0;
  for (int i = 0; i < count; ++i)
    squares = __builtin_fma(static_cast<double>(x[i]), static_cast<double>(x[i]), squares);
  return static_cast<float>(1 / __builtin_sqrt(squares));
}
RIDGE_LIBDEVICE double __nv_rnorm3d(double x, double y, double z) {
  return 1.0 / __nv_norm3d(x, y, z);
}
RIDGE_LIBDEVICE double __nv_rnorm4d(double x, double y, double z, double w) {
  return 1.0 / __nv_norm4d(x, y, z, w);
}

// Exact: subtracts multiples of y, 2^n times at once.
RIDGE_LIBDEVICE double __nv_fmod(double x, double y) {
  using namespace ridge_cuda;
  double rest = __builtin_fabs(x);
  const double size = __builtin_fabs(y);
  if (x != x || y != y || size == 0 || rest == __builtin_inf()) return __builtin_nan("");
  if (size == __builtin_inf()) return x;
  while (rest >= size) {
    int of_rest, of_size;
    const double a = mantissa_of(rest, of_rest), b = mantissa_of(size, of_size);
    const int steps = a < b ? of_rest - of_size - 1 : of_rest - of_size;
    rest -= scaled(size, steps);
  }
  return __builtin_copysign(rest, x);
}
RIDGE_LIBDEVICE double __nv_remquo(double x, double y, int* quotient) {
  using namespace ridge_cuda;
  *quotient = 0;
  double rest = __builtin_fabs(x);
  const double size = __builtin_fabs(y);
  if (x != x || y != y || size == 0 || rest == __builtin_inf()) return __builtin_nan("");
  if (size == __builtin_inf()) return x;
  unsigned count = 0;
  while (rest >= size) {
    int of_rest, of_size;
    const double a = mantissa_of(rest, of_rest), b = mantissa_of(size, of_size);
    const int steps = a < b ? of_rest - of_size - 1 : of_rest - of_size;
    rest -= scaled(size, steps);
    if (steps < 31) count += 1u << steps;
  }
  const double twice = size < 0x1p1023 ? 2 * rest - size : rest - 0.5 * size;
  if (twice > 0 || (twice == 0 && (count & 1) != 0)) {
    rest -= size;
    ++count;
  }
  const int signed_count = static_cast<int>(count & 0x7fffffff);
  *quotient = (x < 0) == (y < 0) ? signed_count : -signed_count;
  return x < 0 ? -rest : rest == 0 ? __builtin_copysign(0.0, x) : rest;
}
RIDGE_LIBDEVICE double __nv_remainder(double x, double y) {
  int ignored;
  return __nv_remquo(x, y, &ignored);
}
