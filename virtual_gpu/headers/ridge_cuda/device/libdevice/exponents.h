// libdevice: powers of two, and the exponent of a number.
#pragma once

namespace ridge_cuda {

RIDGE_DEVICE double power_of_two(int exponent) {  // of a normal number
  return double_of_bits(static_cast<unsigned long long>(exponent + 1023) << 52);
}

// a = m 2^e with 1 <= |m| < 2; a is finite and not 0.
RIDGE_DEVICE double mantissa_of(double a, int& exponent) {
  int shift = 0;
  if (__builtin_fabs(a) < 0x1p-1022) {
    a *= 0x1p54;
    shift = 54;
  }
  const unsigned long long bits = bits_of_double(a);
  exponent = static_cast<int>(bits >> 52 & 2047) - 1023 - shift;
  return double_of_bits((bits & 0x800fffffffffffffull) | 1023ull << 52);
}

// One rounding at most, also where the result is subnormal.
RIDGE_DEVICE double scaled(double a, int exponent) {
  if (exponent > 1023) {
    a *= 0x1p1023;
    exponent -= 1023;
    if (exponent > 1023) {
      a *= 0x1p1023;
      exponent = exponent - 1023 > 1023 ? 1023 : exponent - 1023;
    }
  } else if (exponent < -1022) {
    a *= 0x1p-969;
    exponent += 969;
    if (exponent < -1022) {
      a *= 0x1p-969;
      exponent = exponent + 969 < -1022 ? -1022 : exponent + 969;
    }
  }
  return a * power_of_two(exponent);
}

}  // namespace ridge_cuda

RIDGE_LIBDEVICE double __nv_ldexp(double a, int exponent) {
  return ridge_cuda::scaled(a, exponent);
}
RIDGE_LIBDEVICE double __nv_scalbn(double a, int exponent) {
  return ridge_cuda::scaled(a, exponent);
}
RIDGE_LIBDEVICE float __nv_ldexpf(float a, int exponent) {
  return static_cast<float>(ridge_cuda::scaled(static_cast<double>(a), exponent));
}
RIDGE_LIBDEVICE float __nv_scalbnf(float a, int exponent) {
  return __nv_ldexpf(a, exponent);
}

RIDGE_LIBDEVICE int __nv_ilogb(double a) {
  if (a == 0) return INT_MIN;
  if (a != a) return INT_MIN;
  if (__builtin_fabs(a) == __builtin_inf()) return INT_MAX;
  int exponent;
  ridge_cuda::mantissa_of(a, exponent);
  return exponent;
}
RIDGE_LIBDEVICE int __nv_ilogbf(float a) {
  return __nv_ilogb(static_cast<double>(a));
}
RIDGE_LIBDEVICE double __nv_logb(double a) {
  if (a == 0) return -__builtin_inf();
  if (!(__builtin_fabs(a) < __builtin_inf())) return a * a;
  return static_cast<double>(__nv_ilogb(a));
}
RIDGE_LIBDEVICE float __nv_logbf(float a) {
  return static_cast<float>(__nv_logb(static_cast<double>(a)));
}
RIDGE_LIBDEVICE double __nv_frexp(double a, int* exponent) {
  *exponent = 0;
  if (a == 0 || !(__builtin_fabs(a) < __builtin_inf())) return a;
  int e;
  const double m = ridge_cuda::mantissa_of(a, e);
  *exponent = e + 1;
  return m * 0.5;
}
RIDGE_LIBDEVICE float __nv_frexpf(float a, int* exponent) {
  return static_cast<float>(__nv_frexp(static_cast<double>(a), exponent));
}
RIDGE_LIBDEVICE double __nv_nextafter(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0) return __builtin_copysign(ridge_cuda::double_of_bits(1), b);
  const unsigned long long bits = ridge_cuda::bits_of_double(a);
  return ridge_cuda::double_of_bits((a < b) == (a > 0) ? bits + 1 : bits - 1);
}
RIDGE_LIBDEVICE float __nv_nextafterf(float a, float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0) return __builtin_copysignf(__builtin_bit_cast(float, 1u), b);
  const unsigned bits = __builtin_bit_cast(unsigned, a);
  return __builtin_bit_cast(float, (a < b) == (a > 0) ? bits + 1 : bits - 1);
}
