// half: 16 bits, 11 of precision, exponents from -14 to 15.
#pragma once

#include "ridge_cuda/small_floats/sixteen_bits.h"
#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

#if defined(__CUDA_ARCH__)
#define RIDGE_TO_HALF(rounding, ptx) asm("cvt." ptx ".f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
#else
#define RIDGE_TO_HALF(rounding, ptx) \
  bits = ridge_cuda::narrowed(a, 10, -14, 15, ridge_cuda::Rounding::rounding);
#endif
#define RIDGE_FLOAT_TO_HALF(name, rounding, ptx)                                     \
  static inline __host__ __device__ unsigned short ridge_half_bits_##name(float a) { \
    unsigned short bits;                                                             \
    RIDGE_TO_HALF(rounding, ptx)                                                     \
    return bits;                                                                     \
  }
RIDGE_FLOAT_TO_HALF(rn, nearest, "rn")
RIDGE_FLOAT_TO_HALF(rz, zero, "rz")
RIDGE_FLOAT_TO_HALF(rd, down, "rm")
RIDGE_FLOAT_TO_HALF(ru, up, "rp")
#undef RIDGE_FLOAT_TO_HALF
#undef RIDGE_TO_HALF
static inline __host__ __device__ float ridge_half_value(unsigned short bits) {
#if defined(__CUDA_ARCH__)
  float a;
  asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(bits));
  return a;
#else
  return ridge_cuda::widened(bits, 10, -14);
#endif
}
static inline __host__ __device__ unsigned short ridge_half_bits_of_double(double a) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(a));
  return bits;
#else
  return ridge_cuda::narrowed(a, 10, -14, 15, ridge_cuda::Rounding::nearest);
#endif
}

struct __attribute__((aligned(2))) __half {
  unsigned short __x;

  __half() = default;
  __host__ __device__ __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator __half_raw() const { return {__x}; }
  __host__ __device__ operator __half_raw() const volatile { return {__x}; }
  __host__ __device__ volatile __half& operator=(const __half_raw& raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ __half(float a) : __x(ridge_half_bits_rn(a)) {}
  __host__ __device__ __half(double a) : __x(ridge_half_bits_of_double(a)) {}
  __host__ __device__ __half(int a) : __x(ridge_half_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __half(unsigned a) : __x(ridge_half_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __half(short a) : __x(ridge_half_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __half(unsigned short a) : __x(ridge_half_bits_rn(static_cast<float>(a))) {}
  __host__ __device__ __half(long long a)
      : __x(ridge_half_bits_of_double(static_cast<double>(a))) {}
  __host__ __device__ operator float() const { return ridge_half_value(__x); }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define RIDGE_HALF_ROUNDING(r)                  \
  RIDGE_BOTH __half __float2half_##r(float a) { \
    return __half_raw{ridge_half_bits_##r(a)};  \
  }
RIDGE_HALF_ROUNDING(rn)
RIDGE_HALF_ROUNDING(rz)
RIDGE_HALF_ROUNDING(rd)
RIDGE_HALF_ROUNDING(ru)
#undef RIDGE_HALF_ROUNDING
RIDGE_BOTH __half __float2half(float a) {
  return __float2half_rn(a);
}
RIDGE_BOTH __half __double2half(double a) {
  return __half_raw{ridge_half_bits_of_double(a)};
}
RIDGE_BOTH float __half2float(__half a) {
  return ridge_half_value(a.__x);
}
RIDGE_BOTH __half2 __floats2half2_rn(float a, float b) {
  return {__float2half_rn(a), __float2half_rn(b)};
}
RIDGE_BOTH __half2 __float22half2_rn(float2 a) {
  return __floats2half2_rn(a.x, a.y);
}
RIDGE_BOTH __half2 __float2half2_rn(float a) {
  return __floats2half2_rn(a, a);
}
RIDGE_BOTH float2 __half22float2(__half2 a) {
  return {__half2float(a.x), __half2float(a.y)};
}
RIDGE_BOTH float __low2float(__half2 a) {
  return __half2float(a.x);
}
RIDGE_BOTH float __high2float(__half2 a) {
  return __half2float(a.y);
}
RIDGE_BOTH __half __low2half(__half2 a) {
  return a.x;
}
RIDGE_BOTH __half __high2half(__half2 a) {
  return a.y;
}
RIDGE_BOTH __half2 __halves2half2(__half a, __half b) {
  return {a, b};
}
RIDGE_BOTH __half2 make_half2(__half a, __half b) {
  return {a, b};
}
RIDGE_BOTH __half2 __half2half2(__half a) {
  return {a, a};
}
RIDGE_BOTH __half2 __low2half2(__half2 a) {
  return {a.x, a.x};
}
RIDGE_BOTH __half2 __high2half2(__half2 a) {
  return {a.y, a.y};
}
RIDGE_BOTH __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
RIDGE_BOTH __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}
RIDGE_BOTH __half2 __lowhigh2highlow(__half2 a) {
  return {a.y, a.x};
}
RIDGE_BOTH unsigned short __half_as_ushort(__half a) {
  return a.__x;
}
RIDGE_BOTH short __half_as_short(__half a) {
  return static_cast<short>(a.__x);
}
RIDGE_BOTH __half __ushort_as_half(unsigned short a) {
  return __half_raw{a};
}
RIDGE_BOTH __half __short_as_half(short a) {
  return __half_raw{static_cast<unsigned short>(a)};
}
RIDGE_BOTH __half __int2half_rn(int a) {
  return __half(a);
}
RIDGE_BOTH __half __uint2half_rn(unsigned a) {
  return __half(a);
}
RIDGE_BOTH __half __short2half_rn(short a) {
  return __half(a);
}
RIDGE_BOTH __half __ushort2half_rn(unsigned short a) {
  return __half(a);
}

RIDGE_16_ARITHMETIC(__half, __half2, "f16")
RIDGE_16_COMPARISONS(__half, __half2)
RIDGE_16_OPERATORS(__half, __half2)
RIDGE_16_FUNCTIONS(__half, __half2)
RIDGE_16_WARP(__half, __half2, "f16")

#if defined(__CUDA__)
#define RIDGE_HALF_TO_INTEGER(type, name, through)       \
  RIDGE_DEVICE type __half2##name##_rn(__half a) {       \
    return static_cast<type>(__float2##through##_rn(a)); \
  }                                                      \
  RIDGE_DEVICE type __half2##name##_rz(__half a) {       \
    return static_cast<type>(__float2##through##_rz(a)); \
  }                                                      \
  RIDGE_DEVICE type __half2##name##_rd(__half a) {       \
    return static_cast<type>(__float2##through##_rd(a)); \
  }                                                      \
  RIDGE_DEVICE type __half2##name##_ru(__half a) {       \
    return static_cast<type>(__float2##through##_ru(a)); \
  }
RIDGE_HALF_TO_INTEGER(int, int, int)
RIDGE_HALF_TO_INTEGER(unsigned, uint, uint)
RIDGE_HALF_TO_INTEGER(short, short, int)
RIDGE_HALF_TO_INTEGER(unsigned short, ushort, uint)
RIDGE_HALF_TO_INTEGER(long long, ll, ll)
#undef RIDGE_HALF_TO_INTEGER
#endif
