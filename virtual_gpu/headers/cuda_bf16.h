// bfloat16: 16 bits, 8 of precision, the exponents of float.
#pragma once

#include "ridge_cuda/small_floats/sixteen_bits.h"
#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

static inline __host__ __device__ unsigned short ridge_bfloat_bits_rn(float a) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(a));
  return bits;
#else
  return ridge_cuda::narrowed(a, 7, -126, 127, ridge_cuda::Rounding::nearest);
#endif
}
static inline __host__ __device__ unsigned short ridge_bfloat_bits_rz(float a) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(bits) : "f"(a));
  return bits;
#else
  return ridge_cuda::narrowed(a, 7, -126, 127, ridge_cuda::Rounding::zero);
#endif
}
// Rounds down or up, which PTX cannot do for bfloat16. The truncated number is the result, or, if bits
// were cut off and the direction is away from zero, the next number away from zero.
static inline __host__ __device__ unsigned short ridge_bfloat_bits_directed(float a, bool up) {
  const unsigned bits = ridge_cuda::same_bits<unsigned>(a);
  if (a != a) return 0x7fff;
  const bool away = (bits & 0xffff) != 0 && (bits >> 31 != 0) != up;
  return static_cast<unsigned short>((bits >> 16) + (away ? 1 : 0));
}
static inline __host__ __device__ float ridge_bfloat_value(unsigned short bits) {
  return ridge_cuda::same_bits<float>(static_cast<unsigned>(bits) << 16);
}

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
  __host__ __device__ operator __nv_bfloat16_raw() const volatile { return {__x}; }
  __host__ __device__ volatile __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ __nv_bfloat16(float a) : __x(ridge_bfloat_bits_rn(a)) {}
  __host__ __device__ __nv_bfloat16(double a) : __x(ridge_bfloat_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __nv_bfloat16(int a) : __x(ridge_bfloat_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __nv_bfloat16(unsigned a)
      : __x(ridge_bfloat_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __nv_bfloat16(short a) : __x(ridge_bfloat_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __nv_bfloat16(unsigned short a)
      : __x(ridge_bfloat_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ operator float() const { return ridge_bfloat_value(__x); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

RIDGE_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) {
  return __nv_bfloat16_raw{ridge_bfloat_bits_rn(a)};
}
RIDGE_BOTH __nv_bfloat16 __float2bfloat16(float a) {
  return __float2bfloat16_rn(a);
}
RIDGE_BOTH __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __nv_bfloat16_raw{ridge_bfloat_bits_rz(a)};
}
RIDGE_BOTH __nv_bfloat16 __float2bfloat16_rd(float a) {
  return __nv_bfloat16_raw{ridge_bfloat_bits_directed(a, false)};
}
RIDGE_BOTH __nv_bfloat16 __float2bfloat16_ru(float a) {
  return __nv_bfloat16_raw{ridge_bfloat_bits_directed(a, true)};
}
RIDGE_BOTH __nv_bfloat16 __double2bfloat16(double a) {
  return __nv_bfloat16(a);
}
RIDGE_BOTH float __bfloat162float(__nv_bfloat16 a) {
  return ridge_bfloat_value(a.__x);
}
RIDGE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
#if defined(__CUDA_ARCH__)
  unsigned bits;  // the first operand is the high half
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(b), "f"(a));
  return ridge_cuda::from_bits<__nv_bfloat162>(bits);
#else
  return {__float2bfloat16_rn(a), __float2bfloat16_rn(b)};
#endif
}
RIDGE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __floats2bfloat162_rn(a.x, a.y);
}
RIDGE_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __floats2bfloat162_rn(a, a);
}
RIDGE_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {__bfloat162float(a.x), __bfloat162float(a.y)};
}
RIDGE_BOTH float __low2float(__nv_bfloat162 a) {
  return __bfloat162float(a.x);
}
RIDGE_BOTH float __high2float(__nv_bfloat162 a) {
  return __bfloat162float(a.y);
}
RIDGE_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
  return a.x;
}
RIDGE_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
  return a.y;
}
RIDGE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
RIDGE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
RIDGE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return {a, a};
}
RIDGE_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
  return {a.x, a.x};
}
RIDGE_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
  return {a.y, a.y};
}
RIDGE_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) {
  return {a.y, a.x};
}
RIDGE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
  return a.__x;
}
RIDGE_BOTH short __bfloat16_as_short(__nv_bfloat16 a) {
  return static_cast<short>(a.__x);
}
RIDGE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16_raw{a};
}
RIDGE_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) {
  return __nv_bfloat16(a);
}

RIDGE_16_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, "bf16")
RIDGE_16_COMPARISONS(__nv_bfloat16, __nv_bfloat162)
RIDGE_16_OPERATORS(__nv_bfloat16, __nv_bfloat162)
RIDGE_16_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
RIDGE_16_WARP(__nv_bfloat16, __nv_bfloat162, "bf16")
