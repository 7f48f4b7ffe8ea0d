// Numbers of 16 bits and float: conversions with each rounding, on the device by cvt, on the host in software.
#pragma once

#include <string.h>

#include "ridge_cuda/qualifiers.h"
#include "vector_types.h"

namespace ridge_cuda {

enum class Rounding { nearest, zero, down, up };

template <class To, class From>
static inline __host__ __device__ To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// A pair of 16-bit numbers as the 32 bits of a register; the first is in the low half.
template <class Pair>
static inline __host__ __device__ unsigned bits_of(const Pair& pair) {
  return static_cast<unsigned>(pair.y.__x) << 16 | pair.x.__x;
}
template <class Pair>
static inline __host__ __device__ Pair from_bits(unsigned bits) {
  Pair pair;
  pair.x.__x = static_cast<unsigned short>(bits);
  pair.y.__x = static_cast<unsigned short>(bits >> 16);
  return pair;
}

// A double to a format with `mantissa` stored bits and exponents from `least` (of the smallest normal number) to
// `greatest`, for the host. NaN becomes 0x7fff.
inline unsigned short narrowed(double value, int mantissa, int least, int greatest,
                               Rounding rounding) {
  const unsigned short sign = static_cast<unsigned short>(__builtin_signbit(value) ? 0x8000 : 0);
  const unsigned short infinity = static_cast<unsigned short>((greatest - least + 2) << mantissa);
  if (value != value) return 0x7fff;
  double magnitude = __builtin_fabs(value);
  if (magnitude == __builtin_inf()) return static_cast<unsigned short>(sign | infinity);
  if (magnitude == 0) return sign;
  int exponent = __builtin_ilogb(magnitude);
  if (exponent < least) exponent = least;
  const double scaled =
      __builtin_ldexp(magnitude, mantissa - exponent);  // its unit is the last bit
  double whole = __builtin_floor(scaled);
  const double rest = scaled - whole;
  const bool negative = sign != 0;
  const bool up =
      rounding == Rounding::nearest ? rest > 0.5 || (rest == 0.5 && __builtin_fmod(whole, 2) == 1)
      : rounding == Rounding::zero  ? false
                                    : rest > 0 && negative == (rounding == Rounding::down);
  whole += up ? 1 : 0;
  // A carry out of the mantissa is the next exponent, in this representation as well.
  const long code = static_cast<long>(whole) + (static_cast<long>(exponent - least) << mantissa);
  if (code >= infinity) {
    const bool to_infinity =
        rounding == Rounding::nearest ||
        (rounding != Rounding::zero && negative == (rounding == Rounding::down));
    return static_cast<unsigned short>(sign | (to_infinity ? infinity : infinity - 1));
  }
  return static_cast<unsigned short>(sign | code);
}

inline float widened(unsigned short bits, int mantissa, int least) {
  const int exponent_mask = (1 << (15 - mantissa)) - 1;
  const int exponent = bits >> mantissa & exponent_mask;
  const int fraction = bits & ((1 << mantissa) - 1);
  float magnitude;
  if (exponent == exponent_mask) {
    magnitude = fraction ? __builtin_nanf("") : __builtin_inff();
  } else if (exponent == 0) {
    magnitude = __builtin_ldexpf(static_cast<float>(fraction), least - mantissa);
  } else {
    magnitude = __builtin_ldexpf(static_cast<float>(fraction | 1 << mantissa),
                                 exponent - 1 + least - mantissa);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace ridge_cuda
