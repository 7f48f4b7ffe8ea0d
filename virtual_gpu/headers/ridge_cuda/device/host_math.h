// The mathematical functions of CUDA C++ that a C library does not have, for the host: nvcc has them on both sides.
#pragma once

#include <cmath>

#define RIDGE_HOST static inline __host__
#define RIDGE_HOST_MATH(type, f)                                                                     \
  RIDGE_HOST type rsqrt##f(type x) {                                                                 \
    return 1 / std::sqrt(x);                                                                         \
  }                                                                                                  \
  RIDGE_HOST type rcbrt##f(type x) {                                                                 \
    return 1 / std::cbrt(x);                                                                         \
  }                                                                                                  \
  RIDGE_HOST type rhypot##f(type x, type y) {                                                        \
    return 1 / std::hypot(x, y);                                                                     \
  }                                                                                                  \
  RIDGE_HOST type norm3d##f(type x, type y, type z) {                                                \
    return std::hypot(std::hypot(x, y), z);                                                          \
  }                                                                                                  \
  RIDGE_HOST type rnorm3d##f(type x, type y, type z) {                                               \
    return 1 / norm3d##f(x, y, z);                                                                   \
  }                                                                                                  \
  RIDGE_HOST type norm4d##f(type x, type y, type z, type w) {                                        \
    return std::hypot(std::hypot(x, y), std::hypot(z, w));                                           \
  }                                                                                                  \
  RIDGE_HOST type normcdf##f(type x) {                                                               \
    return std::erfc(-x * static_cast<type>(0.70710678118654752440)) / 2;                            \
  }                                                                                                  \
  /* The remainder of a division by 2 is exact; then the argument is at most a quarter of a turn. */ \
  RIDGE_HOST void sincospi##f(type x, type* sine, type* cosine) {                                    \
    const type rest = std::remainder(x, static_cast<type>(2)), whole = std::nearbyint(2 * rest);     \
    const type angle = (rest - whole / 2) * static_cast<type>(3.14159265358979323846);               \
    const type s = std::sin(angle), c = std::cos(angle);                                             \
    const int quarter = static_cast<int>(whole) & 3;                                                 \
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;                            \
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;                          \
  }                                                                                                  \
  RIDGE_HOST type sinpi##f(type x) {                                                                 \
    type sine, cosine;                                                                               \
    sincospi##f(x, &sine, &cosine);                                                                  \
    return sine;                                                                                     \
  }                                                                                                  \
  RIDGE_HOST type cospi##f(type x) {                                                                 \
    type sine, cosine;                                                                               \
    sincospi##f(x, &sine, &cosine);                                                                  \
    return cosine;                                                                                   \
  }
RIDGE_HOST_MATH(double, )
RIDGE_HOST_MATH(float, f)
#undef RIDGE_HOST_MATH
// For float under their plain names.
RIDGE_HOST float rsqrt(float x) {
  return rsqrtf(x);
}
RIDGE_HOST float rcbrt(float x) {
  return rcbrtf(x);
}
RIDGE_HOST float normcdf(float x) {
  return normcdff(x);
}
RIDGE_HOST float sinpi(float x) {
  return sinpif(x);
}
RIDGE_HOST float cospi(float x) {
  return cospif(x);
}
RIDGE_HOST void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}
RIDGE_HOST float fdividef(float x, float y) {
  return x / y;
}
#undef RIDGE_HOST
