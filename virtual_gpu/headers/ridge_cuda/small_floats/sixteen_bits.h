// What half and bfloat16 share: arithmetic, comparisons, pairs, shuffles and operators. cuda_fp16.h and cuda_bf16.h
// instantiate these macros. On the device an operation is one PTX instruction; on the host it is made in float.
#pragma once

#include "ridge_cuda/small_floats/conversions.h"

#define RIDGE_BOTH static inline __host__ __device__ __attribute__((always_inline))

#if defined(__CUDA_ARCH__)
#define RIDGE_16_UNARY(T, instruction, host)                   \
  T result;                                                    \
  asm(instruction " %0, %1;" : "=h"(result.__x) : "h"(a.__x)); \
  return result;
#define RIDGE_16_BINARY(T, instruction, host)                                  \
  T result;                                                                    \
  asm(instruction " %0, %1, %2;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x)); \
  return result;
#define RIDGE_16_TERNARY(T, instruction, host)                                                 \
  T result;                                                                                    \
  asm(instruction " %0, %1, %2, %3;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
  return result;
#define RIDGE_32_UNARY(T2, instruction, one)                                \
  unsigned result;                                                          \
  asm(instruction " %0, %1;" : "=r"(result) : "r"(ridge_cuda::bits_of(a))); \
  return ridge_cuda::from_bits<T2>(result);
#define RIDGE_32_BINARY(T2, instruction, one)                      \
  unsigned result;                                                 \
  asm(instruction " %0, %1, %2;"                                   \
      : "=r"(result)                                               \
      : "r"(ridge_cuda::bits_of(a)), "r"(ridge_cuda::bits_of(b))); \
  return ridge_cuda::from_bits<T2>(result);
#define RIDGE_32_TERNARY(T2, instruction, one)                                                  \
  unsigned result;                                                                              \
  asm(instruction " %0, %1, %2, %3;"                                                            \
      : "=r"(result)                                                                            \
      : "r"(ridge_cuda::bits_of(a)), "r"(ridge_cuda::bits_of(b)), "r"(ridge_cuda::bits_of(c))); \
  return ridge_cuda::from_bits<T2>(result);
#else
#define RIDGE_16_UNARY(T, instruction, host) return T(host);
#define RIDGE_16_BINARY(T, instruction, host) return T(host);
#define RIDGE_16_TERNARY(T, instruction, host) return T(host);
#define RIDGE_32_UNARY(T2, instruction, one) return T2{one(a.x), one(a.y)};
#define RIDGE_32_BINARY(T2, instruction, one) return T2{one(a.x, b.x), one(a.y, b.y)};
#define RIDGE_32_TERNARY(T2, instruction, one) return T2{one(a.x, b.x, c.x), one(a.y, b.y, c.y)};
#endif

// f(a): the float of a.
#define RIDGE_16_ARITHMETIC(T, T2, s)                                                              \
  RIDGE_BOTH T __hadd(T a, T b){RIDGE_16_BINARY(T, "add." s, float(a) + float(b))} RIDGE_BOTH T    \
  __hsub(T a, T b){RIDGE_16_BINARY(T, "sub." s, float(a) - float(b))} RIDGE_BOTH T                 \
  __hmul(T a, T b){RIDGE_16_BINARY(T, "mul." s, float(a) * float(b))} RIDGE_BOTH T                 \
  __hadd_rn(T a, T b){RIDGE_16_BINARY(T, "add.rn." s, float(a) + float(b))} RIDGE_BOTH T           \
  __hsub_rn(T a, T b){RIDGE_16_BINARY(T, "sub.rn." s, float(a) - float(b))} RIDGE_BOTH T           \
  __hmul_rn(T a, T b){RIDGE_16_BINARY(T, "mul.rn." s, float(a) * float(b))} RIDGE_BOTH T           \
  __hfma(T a, T b, T c){RIDGE_16_TERNARY(                                                          \
      T, "fma.rn." s, __builtin_fma(double(a), double(b), double(c)))} RIDGE_BOTH T                \
  __hdiv(T a, T b) {                                                                               \
    return T(float(a) / float(b));                                                                 \
  }                                                                                                \
  RIDGE_BOTH T __hneg(T a){RIDGE_16_UNARY(T, "neg." s, -float(a))} RIDGE_BOTH T __habs(T a){       \
      RIDGE_16_UNARY(T, "abs." s, __builtin_fabsf(float(a)))} RIDGE_BOTH T                         \
  __hmax(T a, T b){RIDGE_16_BINARY(T, "max." s, __builtin_fmaxf(float(a), float(b)))} RIDGE_BOTH T \
  __hmin(T a,                                                                                      \
         T b){RIDGE_16_BINARY(T, "min." s, __builtin_fminf(float(a), float(b)))} RIDGE_BOTH T2     \
  __hadd2(T2 a, T2 b){RIDGE_32_BINARY(T2, "add." s "x2", __hadd)} RIDGE_BOTH T2                    \
  __hsub2(T2 a, T2 b){RIDGE_32_BINARY(T2, "sub." s "x2", __hsub)} RIDGE_BOTH T2                    \
  __hmul2(T2 a, T2 b){RIDGE_32_BINARY(T2, "mul." s "x2", __hmul)} RIDGE_BOTH T2                    \
  __hfma2(T2 a, T2 b, T2 c){RIDGE_32_TERNARY(T2, "fma.rn." s "x2", __hfma)} RIDGE_BOTH T2          \
  __h2div(T2 a, T2 b) {                                                                            \
    return T2{__hdiv(a.x, b.x), __hdiv(a.y, b.y)};                                                 \
  }                                                                                                \
  RIDGE_BOTH T2 __hneg2(T2 a){RIDGE_32_UNARY(T2, "neg." s "x2", __hneg)} RIDGE_BOTH T2 __habs2(    \
      T2 a){RIDGE_32_UNARY(T2, "abs." s "x2", __habs)} RIDGE_BOTH T2                               \
  __hmax2(T2 a, T2 b){RIDGE_32_BINARY(T2, "max." s "x2", __hmax)} RIDGE_BOTH T2                    \
  __hmin2(T2 a, T2 b) {                                                                            \
    RIDGE_32_BINARY(T2, "min." s "x2", __hmin)                                                     \
  }

#define RIDGE_16_COMPARISON(T, T2, name, op)                     \
  RIDGE_BOTH bool __h##name(T a, T b) {                          \
    return float(a) op float(b);                                 \
  }                                                              \
  RIDGE_BOTH T2 __h##name##2(T2 a, T2 b) {                       \
    return T2{T(float(a.x) op float(b.x) ? 1.0f : 0.0f),         \
              T(float(a.y) op float(b.y) ? 1.0f : 0.0f)};        \
  }                                                              \
  RIDGE_BOTH bool __hb##name##2(T2 a, T2 b) {                    \
    return float(a.x) op float(b.x) && float(a.y) op float(b.y); \
  }                                                              \
  RIDGE_BOTH bool operator op(T a, T b) {                        \
    return __h##name(a, b);                                      \
  }                                                              \
  RIDGE_BOTH bool operator op(T2 a, T2 b) {                      \
    return __hb##name##2(a, b);                                  \
  }
#define RIDGE_16_COMPARISONS(T, T2)                                                   \
  RIDGE_16_COMPARISON(T, T2, eq, ==)                                                  \
  RIDGE_16_COMPARISON(T, T2, ne, !=)                                                  \
  RIDGE_16_COMPARISON(T, T2, lt, <)                                                   \
  RIDGE_16_COMPARISON(T, T2, le, <=)                                                  \
  RIDGE_16_COMPARISON(T, T2, gt, >)                                                   \
  RIDGE_16_COMPARISON(T, T2, ge, >=)                                                  \
  RIDGE_BOTH bool __hisnan(T a) {                                                     \
    return float(a) != float(a);                                                      \
  }                                                                                   \
  RIDGE_BOTH int __hisinf(T a) {                                                      \
    return __builtin_fabsf(float(a)) != __builtin_inff() ? 0 : float(a) < 0 ? -1 : 1; \
  }

#define RIDGE_16_OPERATOR(T, op, function)           \
  RIDGE_BOTH T operator op(const T& a, const T& b) { \
    return function(a, b);                           \
  }                                                  \
  RIDGE_BOTH T& operator op##=(T& a, const T& b) {   \
    return a = function(a, b);                       \
  }
#define RIDGE_16_OPERATORS(T, T2)        \
  RIDGE_16_OPERATOR(T, +, __hadd)        \
  RIDGE_16_OPERATOR(T, -, __hsub)        \
  RIDGE_16_OPERATOR(T, *, __hmul)        \
  RIDGE_16_OPERATOR(T, /, __hdiv)        \
  RIDGE_16_OPERATOR(T2, +, __hadd2)      \
  RIDGE_16_OPERATOR(T2, -, __hsub2)      \
  RIDGE_16_OPERATOR(T2, *, __hmul2)      \
  RIDGE_16_OPERATOR(T2, /, __h2div)      \
  RIDGE_BOTH T operator+(const T& a) {   \
    return a;                            \
  }                                      \
  RIDGE_BOTH T operator-(const T& a) {   \
    return __hneg(a);                    \
  }                                      \
  RIDGE_BOTH T2 operator-(const T2& a) { \
    return __hneg2(a);                   \
  }                                      \
  RIDGE_BOTH T& operator++(T& a) {       \
    return a = __hadd(a, T(1.0f));       \
  }                                      \
  RIDGE_BOTH T& operator--(T& a) {       \
    return a = __hsub(a, T(1.0f));       \
  }

// Functions of one number, made in float: at most half a unit of the 16 bits beyond float's own error.
#if defined(__CUDA__)
#define RIDGE_16_FUNCTION(T, T2, name, in_float) \
  RIDGE_DEVICE T h##name(T a) {                  \
    return T(in_float(float(a)));                \
  }                                              \
  RIDGE_DEVICE T2 h2##name(T2 a) {               \
    return T2{h##name(a.x), h##name(a.y)};       \
  }
#define RIDGE_16_FUNCTIONS(T, T2)          \
  RIDGE_16_FUNCTION(T, T2, sqrt, sqrtf)    \
  RIDGE_16_FUNCTION(T, T2, rsqrt, rsqrtf)  \
  RIDGE_16_FUNCTION(T, T2, rcp, __frcp_rn) \
  RIDGE_16_FUNCTION(T, T2, exp, expf)      \
  RIDGE_16_FUNCTION(T, T2, exp2, exp2f)    \
  RIDGE_16_FUNCTION(T, T2, exp10, exp10f)  \
  RIDGE_16_FUNCTION(T, T2, log, logf)      \
  RIDGE_16_FUNCTION(T, T2, log2, log2f)    \
  RIDGE_16_FUNCTION(T, T2, log10, log10f)  \
  RIDGE_16_FUNCTION(T, T2, sin, sinf)      \
  RIDGE_16_FUNCTION(T, T2, cos, cosf)      \
  RIDGE_16_FUNCTION(T, T2, tanh, tanhf)    \
  RIDGE_16_FUNCTION(T, T2, floor, floorf)  \
  RIDGE_16_FUNCTION(T, T2, ceil, ceilf)    \
  RIDGE_16_FUNCTION(T, T2, trunc, truncf)  \
  RIDGE_16_FUNCTION(T, T2, rint, rintf)

#define RIDGE_16_SHUFFLE(T, T2, name, offset)                                           \
  RIDGE_DEVICE T __shfl##name##_sync(unsigned mask, T a, offset by, int width = 32) {   \
    T result;                                                                           \
    result.__x = static_cast<unsigned short>(                                           \
        __shfl##name##_sync(mask, static_cast<unsigned>(a.__x), by, width));            \
    return result;                                                                      \
  }                                                                                     \
  RIDGE_DEVICE T2 __shfl##name##_sync(unsigned mask, T2 a, offset by, int width = 32) { \
    return ridge_cuda::from_bits<T2>(                                                   \
        __shfl##name##_sync(mask, ridge_cuda::bits_of(a), by, width));                  \
  }
#define RIDGE_16_WARP(T, T2, s)                                                    \
  RIDGE_16_SHUFFLE(T, T2, , int)                                                   \
  RIDGE_16_SHUFFLE(T, T2, _up, unsigned)                                           \
  RIDGE_16_SHUFFLE(T, T2, _down, unsigned)                                         \
  RIDGE_16_SHUFFLE(T, T2, _xor, int)                                               \
  RIDGE_DEVICE T atomicAdd(T* p, T v) {                                            \
    T old;                                                                         \
    asm volatile("atom.add.noftz." s " %0, [%1], %2;"                              \
                 : "=h"(old.__x)                                                   \
                 : "l"(p), "h"(v.__x)                                              \
                 : "memory");                                                      \
    return old;                                                                    \
  }                                                                                \
  RIDGE_DEVICE T2 atomicAdd(T2* p, T2 v) {                                         \
    unsigned old;                                                                  \
    asm volatile("atom.add.noftz." s "x2 %0, [%1], %2;"                            \
                 : "=r"(old)                                                       \
                 : "l"(p), "r"(ridge_cuda::bits_of(v))                             \
                 : "memory");                                                      \
    return ridge_cuda::from_bits<T2>(old);                                         \
  }                                                                                \
  RIDGE_DEVICE T __ldg(const T* p) {                                               \
    T v;                                                                           \
    v.__x = __ldg(reinterpret_cast<const unsigned short*>(p));                     \
    return v;                                                                      \
  }                                                                                \
  RIDGE_DEVICE T2 __ldg(const T2* p) {                                             \
    return ridge_cuda::from_bits<T2>(__ldg(reinterpret_cast<const unsigned*>(p))); \
  }
#else
#define RIDGE_16_FUNCTIONS(T, T2)
#define RIDGE_16_WARP(T, T2, s)
#endif
