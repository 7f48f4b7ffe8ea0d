// The vector types of CUDA C++: 1 to 4 components, aligned as the programming guide's table says.
#pragma once

#include "ridge_cuda/qualifiers.h"

#define RIDGE_VECTOR_TYPES(name, element, align2, align4) \
  struct name##1 {                                        \
    element x;                                            \
  };                                                      \
  struct __attribute__((aligned(align2))) name##2 {       \
    element x, y;                                         \
  };                                                      \
  struct name##3 {                                        \
    element x, y, z;                                      \
  };                                                      \
  struct __attribute__((aligned(align4))) name##4 {       \
    element x, y, z, w;                                   \
  };                                                      \
  typedef struct name##1 name##1;                         \
  typedef struct name##2 name##2;                         \
  typedef struct name##3 name##3;                         \
  typedef struct name##4 name##4;

RIDGE_VECTOR_TYPES(char, signed char, 2, 4)
RIDGE_VECTOR_TYPES(uchar, unsigned char, 2, 4)
RIDGE_VECTOR_TYPES(short, short, 4, 8)
RIDGE_VECTOR_TYPES(ushort, unsigned short, 4, 8)
RIDGE_VECTOR_TYPES(int, int, 8, 16)
RIDGE_VECTOR_TYPES(uint, unsigned int, 8, 16)
RIDGE_VECTOR_TYPES(long, long int, 16, 16)
RIDGE_VECTOR_TYPES(ulong, unsigned long int, 16, 16)
RIDGE_VECTOR_TYPES(longlong, long long int, 16, 16)
RIDGE_VECTOR_TYPES(ulonglong, unsigned long long int, 16, 16)
RIDGE_VECTOR_TYPES(float, float, 8, 16)
RIDGE_VECTOR_TYPES(double, double, 16, 16)
#undef RIDGE_VECTOR_TYPES

// From CUDA 13 on the types of 32 bytes have names that tell the alignment.
#define RIDGE_ALIGNED_TYPES(name, element)         \
  struct __attribute__((aligned(16))) name##_16a { \
    element x, y, z, w;                            \
  };                                               \
  struct __attribute__((aligned(32))) name##_32a { \
    element x, y, z, w;                            \
  };                                               \
  typedef struct name##_16a name##_16a;            \
  typedef struct name##_32a name##_32a;
RIDGE_ALIGNED_TYPES(long4, long int)
RIDGE_ALIGNED_TYPES(ulong4, unsigned long int)
RIDGE_ALIGNED_TYPES(longlong4, long long int)
RIDGE_ALIGNED_TYPES(ulonglong4, unsigned long long int)
RIDGE_ALIGNED_TYPES(double4, double)
#undef RIDGE_ALIGNED_TYPES

// Extents of a grid or block: what is left out is 1.
struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const {
    return uint3{x, y, z};
  }
#endif
};
typedef struct dim3 dim3;
