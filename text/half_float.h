// Decodes float16 and bfloat16.
#pragma once

#include <cstdint>

#include "text/bit_cast.h"

namespace ridge::text {

// IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits. Exact; NaN keeps its payload.
inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) return bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  const float small = static_cast<float>(magnitude) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

// bfloat16: the upper half of a float. Exact.
inline float bfloat_to_float(uint16_t value) {
  return bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

}  // namespace ridge::text
