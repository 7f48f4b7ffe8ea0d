// Complex numbers of C: cuFloatComplex, cuDoubleComplex and their functions.
#pragma once

#include <math.h>

#include "vector_functions.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// `make`: the name of the constructor; `suffix` and `f` as in cuCaddf and hypotf.
#define RIDGE_COMPLEX(complex, real, make, suffix, hypot)                                     \
  __host__ __device__ static inline complex make(real x, real y) {                            \
    complex z;                                                                                \
    z.x = x;                                                                                  \
    z.y = y;                                                                                  \
    return z;                                                                                 \
  }                                                                                           \
  __host__ __device__ static inline real cuCreal##suffix(complex z) {                         \
    return z.x;                                                                               \
  }                                                                                           \
  __host__ __device__ static inline real cuCimag##suffix(complex z) {                         \
    return z.y;                                                                               \
  }                                                                                           \
  __host__ __device__ static inline complex cuConj##suffix(complex z) {                       \
    return make(z.x, -z.y);                                                                   \
  }                                                                                           \
  __host__ __device__ static inline complex cuCadd##suffix(complex a, complex b) {            \
    return make(a.x + b.x, a.y + b.y);                                                        \
  }                                                                                           \
  __host__ __device__ static inline complex cuCsub##suffix(complex a, complex b) {            \
    return make(a.x - b.x, a.y - b.y);                                                        \
  }                                                                                           \
  __host__ __device__ static inline complex cuCmul##suffix(complex a, complex b) {            \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                \
  }                                                                                           \
  /* Both scaled by the divisor's size, so that no square overflows. */                       \
  __host__ __device__ static inline complex cuCdiv##suffix(complex a, complex b) {            \
    const real scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                 \
    const real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;        \
    const real square = 1 / (bx * bx + by * by);                                              \
    return make((ax * bx + ay * by) * square, (ay * bx - ax * by) * square);                  \
  }                                                                                           \
  __host__ __device__ static inline real cuCabs##suffix(complex z) {                          \
    return hypot(z.x, z.y);                                                                   \
  }                                                                                           \
  __host__ __device__ static inline complex cuCfma##suffix(complex a, complex b, complex c) { \
    return cuCadd##suffix(cuCmul##suffix(a, b), c);                                           \
  }
RIDGE_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, hypotf)
RIDGE_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , hypot)
#undef RIDGE_COMPLEX

__host__ __device__ static inline cuComplex make_cuComplex(float x, float y) {
  return make_cuFloatComplex(x, y);
}
__host__ __device__ static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex(static_cast<float>(z.x), static_cast<float>(z.y));
}
__host__ __device__ static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
