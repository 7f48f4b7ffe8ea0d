// make_float4 and its kind: a vector from its components.
#pragma once

#include "vector_types.h"

#define RIDGE_MAKE_VECTOR(name, element)                                                     \
  static inline __host__ __device__ constexpr name##1 make_##name##1(element x) {            \
    return name##1 {x};                                                                      \
  }                                                                                          \
  static inline __host__ __device__ constexpr name##2 make_##name##2(element x, element y) { \
    return name##2 {x, y};                                                                   \
  }                                                                                          \
  static inline __host__ __device__ constexpr name##3 make_##name##3(element x, element y,   \
                                                                     element z) {            \
    return name##3 {x, y, z};                                                                \
  }                                                                                          \
  static inline __host__ __device__ constexpr name##4 make_##name##4(element x, element y,   \
                                                                     element z, element w) { \
    return name##4 {x, y, z, w};                                                             \
  }

RIDGE_MAKE_VECTOR(char, signed char)
RIDGE_MAKE_VECTOR(uchar, unsigned char)
RIDGE_MAKE_VECTOR(short, short)
RIDGE_MAKE_VECTOR(ushort, unsigned short)
RIDGE_MAKE_VECTOR(int, int)
RIDGE_MAKE_VECTOR(uint, unsigned int)
RIDGE_MAKE_VECTOR(long, long int)
RIDGE_MAKE_VECTOR(ulong, unsigned long int)
RIDGE_MAKE_VECTOR(longlong, long long int)
RIDGE_MAKE_VECTOR(ulonglong, unsigned long long int)
RIDGE_MAKE_VECTOR(float, float)
RIDGE_MAKE_VECTOR(double, double)
#undef RIDGE_MAKE_VECTOR
