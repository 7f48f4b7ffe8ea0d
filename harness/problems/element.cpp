#include "harness/problems/element.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::problems {

// Sign, four exponent bits, three mantissa bits. No infinities: with the largest exponent only the
// last value is NaN.
double from_float8_e4m3(uint8_t bits) {
  const int exponent = (bits >> 3) & 15, mantissa = bits & 7;
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const double value = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return bits & 0x80 ? -value : value;
}

uint16_t to_float16(double value) {
  auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  double size = std::fabs(value);
  if (std::isnan(value)) return 0x7e00 | sign;
  // Halfway between the largest value, 65504, and the next.
  if (size >= 65520) return 0x7c00 | sign;
  int exponent = size == 0 ? -14 : std::max(-14, std::ilogb(size));
  double steps = std::nearbyint(std::ldexp(size, 10 - exponent));  // ties to even
  // In steps of 2^(exponent - 10) the encoding is contiguous across exponents, so a carry gives the
  // right result.
  auto bits = static_cast<int>(steps) + (exponent + 14) * 1024;
  return static_cast<uint16_t>(bits | sign);
}

uint8_t to_float8_e4m3(double value) {
  const int sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return static_cast<uint8_t>(sign | 0x7f);
  const double size = std::min(std::fabs(value), 448.0);
  const int exponent = size == 0 ? -6 : std::max(-6, std::ilogb(size));
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 3 - exponent)));  // ties to even
  return static_cast<uint8_t>(sign | (steps + (exponent + 6) * 8));  // carries as in to_float16
}

uint16_t to_bfloat16(double value) {
  if (std::isnan(value)) return 0x7fc0;
  // Round to float toward odd first: rounding twice to nearest could give a wrong result.
  auto rounded = static_cast<float>(value);
  auto bits = std::bit_cast<uint32_t>(rounded);
  if (std::isfinite(rounded) && static_cast<double>(rounded) != value) {
    if (std::fabs(static_cast<double>(rounded)) > std::fabs(value)) --bits;
    bits |= 1;
  }
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

}  // namespace ridge::problems
