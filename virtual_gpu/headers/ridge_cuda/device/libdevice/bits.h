// libdevice, integers and bits: the representation of numbers, counting, and minima.
#pragma once

RIDGE_LIBDEVICE int __nv_abs(int a) {
  return a < 0 ? -a : a;
}
RIDGE_LIBDEVICE long long __nv_llabs(long long a) {
  return a < 0 ? -a : a;
}
RIDGE_LIBDEVICE int __nv_min(int a, int b) {
  return a < b ? a : b;
}
RIDGE_LIBDEVICE int __nv_max(int a, int b) {
  return a > b ? a : b;
}
RIDGE_LIBDEVICE unsigned __nv_umin(unsigned a, unsigned b) {
  return a < b ? a : b;
}
RIDGE_LIBDEVICE unsigned __nv_umax(unsigned a, unsigned b) {
  return a > b ? a : b;
}
RIDGE_LIBDEVICE long long __nv_llmin(long long a, long long b) {
  return a < b ? a : b;
}
RIDGE_LIBDEVICE long long __nv_llmax(long long a, long long b) {
  return a > b ? a : b;
}
RIDGE_LIBDEVICE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
RIDGE_LIBDEVICE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

RIDGE_LIBDEVICE int __nv_float_as_int(float a) {
  return __builtin_bit_cast(int, a);
}
RIDGE_LIBDEVICE unsigned __nv_float_as_uint(float a) {
  return __builtin_bit_cast(unsigned, a);
}
RIDGE_LIBDEVICE float __nv_int_as_float(int a) {
  return __builtin_bit_cast(float, a);
}
RIDGE_LIBDEVICE float __nv_uint_as_float(unsigned a) {
  return __builtin_bit_cast(float, a);
}
RIDGE_LIBDEVICE unsigned long long __nv_double_as_longlong(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
RIDGE_LIBDEVICE double __nv_longlong_as_double(long long a) {
  return __builtin_bit_cast(double, a);
}
RIDGE_LIBDEVICE int __nv_double2hiint(double a) {
  return static_cast<int>(__builtin_bit_cast(long long, a) >> 32);
}
RIDGE_LIBDEVICE int __nv_double2loint(double a) {
  return static_cast<int>(__builtin_bit_cast(long long, a));
}
RIDGE_LIBDEVICE double __nv_hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high))
                                            << 32 |
                                        static_cast<unsigned>(low));
}

RIDGE_LIBDEVICE int __nv_clz(int a) {
  return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a));
}
RIDGE_LIBDEVICE int __nv_clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}
RIDGE_LIBDEVICE int __nv_ffs(int a) {
  return __builtin_ffs(a);
}
RIDGE_LIBDEVICE int __nv_ffsll(long long a) {
  return __builtin_ffsll(a);
}
RIDGE_LIBDEVICE int __nv_popc(int a) {
  return __builtin_popcount(static_cast<unsigned>(a));
}
RIDGE_LIBDEVICE int __nv_popcll(long long a) {
  return __builtin_popcountll(static_cast<unsigned long long>(a));
}
RIDGE_LIBDEVICE int __nv_brev(int a) {
  return static_cast<int>(__builtin_bitreverse32(static_cast<unsigned>(a)));
}
RIDGE_LIBDEVICE long long __nv_brevll(long long a) {
  return static_cast<long long>(__builtin_bitreverse64(static_cast<unsigned long long>(a)));
}
RIDGE_LIBDEVICE int __nv_byte_perm(int a, int b, int selector) {
  return static_cast<int>(__nvvm_prmt(static_cast<unsigned>(a), static_cast<unsigned>(b),
                                      static_cast<unsigned>(selector)));
}

RIDGE_LIBDEVICE int __nv_mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
RIDGE_LIBDEVICE unsigned __nv_umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
RIDGE_LIBDEVICE long long __nv_mul64hi(long long a, long long b) {
  return __nvvm_mulhi_ll(a, b);
}
RIDGE_LIBDEVICE unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
RIDGE_LIBDEVICE int __nv_mul24(int a, int b) {
  return __nvvm_mul24_i(a, b);
}
RIDGE_LIBDEVICE unsigned __nv_umul24(unsigned a, unsigned b) {
  return __nvvm_mul24_ui(a, b);
}
RIDGE_LIBDEVICE int __nv_sad(int a, int b, int c) {
  const unsigned x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);  // the difference may wrap
  return static_cast<int>((a > b ? x - y : y - x) + static_cast<unsigned>(c));
}
RIDGE_LIBDEVICE unsigned __nv_usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
RIDGE_LIBDEVICE int __nv_hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
RIDGE_LIBDEVICE int __nv_rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
RIDGE_LIBDEVICE int __nv_uhadd(unsigned a, unsigned b) {
  return static_cast<int>((static_cast<unsigned long long>(a) + b) >> 1);
}
RIDGE_LIBDEVICE unsigned __nv_urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

RIDGE_LIBDEVICE int __nv_signbitf(float a) {
  return __builtin_bit_cast(unsigned, a) >> 31;
}
RIDGE_LIBDEVICE int __nv_signbitd(double a) {
  return __builtin_bit_cast(unsigned long long, a) >> 63;
}
RIDGE_LIBDEVICE int __nv_isnanf(float a) {
  return a != a;
}
RIDGE_LIBDEVICE int __nv_isnand(double a) {
  return a != a;
}
RIDGE_LIBDEVICE int __nv_isinff(float a) {
  return __builtin_fabsf(a) == __builtin_inff();
}
RIDGE_LIBDEVICE int __nv_isinfd(double a) {
  return __builtin_fabs(a) == __builtin_inf();
}
RIDGE_LIBDEVICE int __nv_finitef(float a) {
  return __builtin_fabsf(a) < __builtin_inff();
}
RIDGE_LIBDEVICE int __nv_isfinited(double a) {
  return __builtin_fabs(a) < __builtin_inf();
}
RIDGE_LIBDEVICE float __nv_nanf(const signed char*) {
  return __builtin_nanf("");
}
RIDGE_LIBDEVICE double __nv_nan(const signed char*) {
  return __builtin_nan("");
}
