// Overloads and conversions that clang's headers leave to the toolkit.
#pragma once

#define RIDGE_DEVICE static __device__ __forceinline__

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const {
  return {x, y, z};
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const {
  return {x, y, z};
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const {
  return {x, y, z};
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const {
  return {x, y, z};
}

// min and max of all arithmetic types; a mix of signed and unsigned is compared as unsigned.
RIDGE_DEVICE unsigned min(unsigned a, unsigned b) {
  return a < b ? a : b;
}
RIDGE_DEVICE unsigned max(unsigned a, unsigned b) {
  return a > b ? a : b;
}
RIDGE_DEVICE unsigned min(int a, unsigned b) {
  return min(static_cast<unsigned>(a), b);
}
RIDGE_DEVICE unsigned min(unsigned a, int b) {
  return min(a, static_cast<unsigned>(b));
}
RIDGE_DEVICE unsigned max(int a, unsigned b) {
  return max(static_cast<unsigned>(a), b);
}
RIDGE_DEVICE unsigned max(unsigned a, int b) {
  return max(a, static_cast<unsigned>(b));
}
#define RIDGE_MIN_MAX(type)               \
  RIDGE_DEVICE type min(type a, type b) { \
    return a < b ? a : b;                 \
  }                                       \
  RIDGE_DEVICE type max(type a, type b) { \
    return a > b ? a : b;                 \
  }
RIDGE_MIN_MAX(long)
RIDGE_MIN_MAX(unsigned long)
RIDGE_MIN_MAX(long long)
RIDGE_MIN_MAX(unsigned long long)
#undef RIDGE_MIN_MAX
RIDGE_DEVICE unsigned long min(long a, unsigned long b) {
  return min(static_cast<unsigned long>(a), b);
}
RIDGE_DEVICE unsigned long min(unsigned long a, long b) {
  return min(a, static_cast<unsigned long>(b));
}
RIDGE_DEVICE unsigned long max(long a, unsigned long b) {
  return max(static_cast<unsigned long>(a), b);
}
RIDGE_DEVICE unsigned long max(unsigned long a, long b) {
  return max(a, static_cast<unsigned long>(b));
}
RIDGE_DEVICE float min(float a, float b) {
  return fminf(a, b);
}
RIDGE_DEVICE float max(float a, float b) {
  return fmaxf(a, b);
}
RIDGE_DEVICE double min(double a, double b) {
  return fmin(a, b);
}
RIDGE_DEVICE double max(double a, double b) {
  return fmax(a, b);
}
RIDGE_DEVICE double min(float a, double b) {
  return fmin(static_cast<double>(a), b);
}
RIDGE_DEVICE double min(double a, float b) {
  return fmin(a, static_cast<double>(b));
}
RIDGE_DEVICE double max(float a, double b) {
  return fmax(static_cast<double>(a), b);
}
RIDGE_DEVICE double max(double a, float b) {
  return fmax(a, static_cast<double>(b));
}

// nvcc has these for the host, too.
#define RIDGE_HOST_MIN_MAX(type)                    \
  static inline __host__ type min(type a, type b) { \
    return b < a ? b : a;                           \
  }                                                 \
  static inline __host__ type max(type a, type b) { \
    return a < b ? b : a;                           \
  }
RIDGE_HOST_MIN_MAX(int)
RIDGE_HOST_MIN_MAX(unsigned)
RIDGE_HOST_MIN_MAX(long)
RIDGE_HOST_MIN_MAX(unsigned long)
RIDGE_HOST_MIN_MAX(long long)
RIDGE_HOST_MIN_MAX(unsigned long long)
RIDGE_HOST_MIN_MAX(float)
RIDGE_HOST_MIN_MAX(double)
#undef RIDGE_HOST_MIN_MAX

RIDGE_DEVICE float rsqrt(float x) {
  return rsqrtf(x);
}
RIDGE_DEVICE float rcbrt(float x) {
  return rcbrtf(x);
}
RIDGE_DEVICE float sinpi(float x) {
  return sinpif(x);
}
RIDGE_DEVICE float cospi(float x) {
  return cospif(x);
}
RIDGE_DEVICE void sincos(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
RIDGE_DEVICE void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}
RIDGE_DEVICE float exp10(float x) {
  return exp10f(x);
}
RIDGE_DEVICE float normcdf(float x) {
  return normcdff(x);
}
RIDGE_DEVICE float erfinv(float x) {
  return erfinvf(x);
}

// The dot product of four bytes, and of two pairs of 16 bits with two bytes, plus c.
RIDGE_DEVICE int __dp4a(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
RIDGE_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
RIDGE_DEVICE int __dp2a_lo(int a, int b, int c) {
  int d;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
RIDGE_DEVICE int __dp2a_hi(int a, int b, int c) {
  int d;
  asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
RIDGE_DEVICE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
RIDGE_DEVICE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
