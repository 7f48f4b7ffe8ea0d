// The functions of <cmath> for float under their plain names. clang's headers declare them, and leave those below to
// the toolkit.
#pragma once

#define RIDGE_OVERLOAD(name)         \
  RIDGE_DEVICE float name(float x) { \
    return name##f(x);               \
  }
RIDGE_OVERLOAD(acosh)
RIDGE_OVERLOAD(asinh)
RIDGE_OVERLOAD(atanh)
RIDGE_OVERLOAD(cbrt)
RIDGE_OVERLOAD(erf)
RIDGE_OVERLOAD(erfc)
RIDGE_OVERLOAD(exp2)
RIDGE_OVERLOAD(expm1)
RIDGE_OVERLOAD(lgamma)
RIDGE_OVERLOAD(log1p)
RIDGE_OVERLOAD(log2)
RIDGE_OVERLOAD(logb)
RIDGE_OVERLOAD(nearbyint)
RIDGE_OVERLOAD(rint)
RIDGE_OVERLOAD(round)
RIDGE_OVERLOAD(tgamma)
RIDGE_OVERLOAD(trunc)
#undef RIDGE_OVERLOAD
#define RIDGE_OVERLOAD(name)                  \
  RIDGE_DEVICE float name(float x, float y) { \
    return name##f(x, y);                     \
  }
RIDGE_OVERLOAD(copysign)
RIDGE_OVERLOAD(fdim)
RIDGE_OVERLOAD(fmax)
RIDGE_OVERLOAD(fmin)
RIDGE_OVERLOAD(hypot)
RIDGE_OVERLOAD(nextafter)
RIDGE_OVERLOAD(remainder)
#undef RIDGE_OVERLOAD
#define RIDGE_OVERLOAD(type, name)  \
  RIDGE_DEVICE type name(float x) { \
    return name##f(x);              \
  }
RIDGE_OVERLOAD(int, ilogb)
RIDGE_OVERLOAD(long long, llrint)
RIDGE_OVERLOAD(long long, llround)
RIDGE_OVERLOAD(long, lrint)
RIDGE_OVERLOAD(long, lround)
#undef RIDGE_OVERLOAD
RIDGE_DEVICE float fma(float x, float y, float z) {
  return fmaf(x, y, z);
}
RIDGE_DEVICE float remquo(float x, float y, int* quotient) {
  return remquof(x, y, quotient);
}
RIDGE_DEVICE float scalbn(float x, int exponent) {
  return scalbnf(x, exponent);
}
RIDGE_DEVICE float scalbln(float x, long exponent) {
  return scalblnf(x, exponent);
}
