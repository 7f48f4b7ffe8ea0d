// The floats of 8 bits: e4m3 (4 bits of exponent, no infinity) and e5m2. Conversions round to nearest even and
// saturate.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace ridge_cuda {

// For the host. e4m3: largest 448, NaN 0x7f. e5m2: largest 57344, infinity 0x7c.
inline unsigned char narrowed_to_8(float value, bool e4m3) {
  const unsigned char sign = __builtin_signbit(value) ? 0x80 : 0;
  if (value != value) return 0x7f;
  const int mantissa = e4m3 ? 3 : 2, least = e4m3 ? -6 : -14;
  const unsigned char largest = e4m3 ? 0x7e : 0x7b;
  const double magnitude = __builtin_fabs(static_cast<double>(value));
  if (magnitude == 0) return sign;
  if (magnitude >= (e4m3 ? 448 : 57344)) return sign | largest;
  int exponent = __builtin_ilogb(magnitude);
  if (exponent < least) exponent = least;
  const double whole = __builtin_nearbyint(__builtin_ldexp(magnitude, mantissa - exponent));
  const int code = static_cast<int>(whole) + ((exponent - least) << mantissa);
  return static_cast<unsigned char>(sign | (code > largest ? largest : code));
}
inline float widened_from_8(unsigned char bits, bool e4m3) {
  const int mantissa = e4m3 ? 3 : 2, least = e4m3 ? -6 : -14;
  const int exponent = (bits & 0x7f) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  float magnitude;
  if (e4m3 ? (bits & 0x7f) == 0x7f : exponent == 31 && fraction != 0) {
    magnitude = __builtin_nanf("");
  } else if (!e4m3 && exponent == 31) {
    magnitude = __builtin_inff();
  } else if (exponent == 0) {
    magnitude = __builtin_ldexpf(static_cast<float>(fraction), least - mantissa);
  } else {
    magnitude = __builtin_ldexpf(static_cast<float>(fraction | 1 << mantissa),
                                 exponent - 1 + least - mantissa);
  }
  return bits & 0x80 ? -magnitude : magnitude;
}

}  // namespace ridge_cuda

#if defined(__CUDA_ARCH__)
#define RIDGE_NARROW_8(ptx, e4m3)                                                     \
  unsigned short pair;                                                                \
  asm("cvt.rn.satfinite." ptx "x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(a)); \
  return static_cast<unsigned char>(pair);
#define RIDGE_WIDEN_8(ptx, e4m3)                                                                 \
  unsigned halves;                                                                               \
  asm("cvt.rn.f16x2." ptx "x2 %0, %1;" : "=r"(halves) : "h"(static_cast<unsigned short>(bits))); \
  return ridge_half_value(static_cast<unsigned short>(halves));
#else
#define RIDGE_NARROW_8(ptx, e4m3) return ridge_cuda::narrowed_to_8(a, e4m3);
#define RIDGE_WIDEN_8(ptx, e4m3) return ridge_cuda::widened_from_8(bits, e4m3);
#endif

#define RIDGE_FP8(format, e4m3)                                                                  \
  static inline __host__ __device__ unsigned char ridge_##format##_bits(float a) {               \
    RIDGE_NARROW_8(#format, e4m3)                                                                \
  }                                                                                              \
  static inline __host__ __device__ float ridge_##format##_value(unsigned char bits) {           \
    RIDGE_WIDEN_8(#format, e4m3)                                                                 \
  }                                                                                              \
  struct __nv_fp8_##format {                                                                     \
    __nv_fp8_storage_t __x;                                                                      \
    __nv_fp8_##format() = default;                                                               \
    __host__ __device__ explicit __nv_fp8_##format(float a) : __x(ridge_##format##_bits(a)) {}   \
    __host__ __device__ explicit __nv_fp8_##format(double a)                                     \
        : __x(ridge_##format##_bits(static_cast<float>(a))) {}                                   \
    __host__ __device__ explicit __nv_fp8_##format(__half a)                                     \
        : __x(ridge_##format##_bits(__half2float(a))) {}                                         \
    __host__ __device__ explicit __nv_fp8_##format(__nv_bfloat16 a)                              \
        : __x(ridge_##format##_bits(__bfloat162float(a))) {}                                     \
    __host__ __device__ explicit __nv_fp8_##format(int a)                                        \
        : __x(ridge_##format##_bits(static_cast<float>(a))) {}                                   \
    __host__ __device__ explicit operator float() const { return ridge_##format##_value(__x); }  \
    __host__ __device__ explicit operator double() const { return ridge_##format##_value(__x); } \
    __host__ __device__ explicit operator __half() const {                                       \
      return __float2half(ridge_##format##_value(__x));                                          \
    }                                                                                            \
    __host__ __device__ explicit operator __nv_bfloat16() const {                                \
      return __float2bfloat16(ridge_##format##_value(__x));                                      \
    }                                                                                            \
  };
RIDGE_FP8(e4m3, true)
RIDGE_FP8(e5m2, false)
#undef RIDGE_FP8
#undef RIDGE_NARROW_8
#undef RIDGE_WIDEN_8

RIDGE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float a, __nv_saturation_t,
                                                    __nv_fp8_interpretation_t format) {
  return format == __NV_E4M3 ? ridge_e4m3_bits(a) : ridge_e5m2_bits(a);
}
RIDGE_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits,
                                              __nv_fp8_interpretation_t format) {
  return __float2half(format == __NV_E4M3 ? ridge_e4m3_value(bits) : ridge_e5m2_value(bits));
}

// Two and four of them, component 0 in the lowest byte.
#define RIDGE_FP8_VECTORS(format)                                                        \
  struct alignas(2) __nv_fp8x2_##format {                                                \
    __nv_fp8x2_storage_t __x;                                                            \
    __nv_fp8x2_##format() = default;                                                     \
    __host__ __device__ explicit __nv_fp8x2_##format(float2 a)                           \
        : __x(static_cast<__nv_fp8x2_storage_t>(ridge_##format##_bits(a.x) |             \
                                                ridge_##format##_bits(a.y) << 8)) {}     \
    __host__ __device__ explicit __nv_fp8x2_##format(__half2 a)                          \
        : __nv_fp8x2_##format(__half22float2(a)) {}                                      \
    __host__ __device__ explicit __nv_fp8x2_##format(__nv_bfloat162 a)                   \
        : __nv_fp8x2_##format(__bfloat1622float2(a)) {}                                  \
    __host__ __device__ explicit operator float2() const {                               \
      return make_float2(ridge_##format##_value(static_cast<unsigned char>(__x)),        \
                         ridge_##format##_value(static_cast<unsigned char>(__x >> 8)));  \
    }                                                                                    \
    __host__ __device__ explicit operator __half2() const {                              \
      return __float22half2_rn(static_cast<float2>(*this));                              \
    }                                                                                    \
  };                                                                                     \
  struct alignas(4) __nv_fp8x4_##format {                                                \
    __nv_fp8x4_storage_t __x;                                                            \
    __nv_fp8x4_##format() = default;                                                     \
    __host__ __device__ explicit __nv_fp8x4_##format(float4 a)                           \
        : __x(static_cast<__nv_fp8x4_storage_t>(ridge_##format##_bits(a.x)) |            \
              static_cast<__nv_fp8x4_storage_t>(ridge_##format##_bits(a.y)) << 8 |       \
              static_cast<__nv_fp8x4_storage_t>(ridge_##format##_bits(a.z)) << 16 |      \
              static_cast<__nv_fp8x4_storage_t>(ridge_##format##_bits(a.w)) << 24) {}    \
    __host__ __device__ explicit operator float4() const {                               \
      return make_float4(ridge_##format##_value(static_cast<unsigned char>(__x)),        \
                         ridge_##format##_value(static_cast<unsigned char>(__x >> 8)),   \
                         ridge_##format##_value(static_cast<unsigned char>(__x >> 16)),  \
                         ridge_##format##_value(static_cast<unsigned char>(__x >> 24))); \
    }                                                                                    \
  };
RIDGE_FP8_VECTORS(e4m3)
RIDGE_FP8_VECTORS(e5m2)
#undef RIDGE_FP8_VECTORS

RIDGE_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 a, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(a.x, saturation, format) |
                                           __nv_cvt_float_to_fp8(a.y, saturation, format) << 8);
}
RIDGE_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits,
                                                  __nv_fp8_interpretation_t format) {
  __half2_raw both;
  both.x =
      static_cast<__half_raw>(__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(bits), format)).x;
  both.y = static_cast<__half_raw>(
               __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(bits >> 8), format))
               .x;
  return both;
}
