// Floating-point formats smaller than f32: one pair of functions, to float and from float, for all of them.
// Both are branch-free so that the compiler can vectorize the loops they are called in.
#pragma once

#include <cstdint>

namespace ridge::machine::RIDGE_LANES {

enum class Round { nearest_even, toward_zero, down, up, nearest_away };

// `kLargest` is the largest finite value's bits without the sign. Formats without infinity (e4m3) give NaN instead.
// clang-format off
struct F16  { static constexpr int kMantissaBits = 10, kLowestExponent = -14,  kSignBit = 15;
              static constexpr uint32_t kLargest = 0x7bff, kInfinity = 0x7c00, kNan = 0x7fff; };
struct BF16 { static constexpr int kMantissaBits = 7,  kLowestExponent = -126, kSignBit = 15;
              static constexpr uint32_t kLargest = 0x7f7f, kInfinity = 0x7f80, kNan = 0x7fff; };
struct E4M3 { static constexpr int kMantissaBits = 3,  kLowestExponent = -6,   kSignBit = 7;
              static constexpr uint32_t kLargest = 0x7e,   kInfinity = 0x7f,   kNan = 0x7f; };
struct E5M2 { static constexpr int kMantissaBits = 2,  kLowestExponent = -14,  kSignBit = 7;
              static constexpr uint32_t kLargest = 0x7b,   kInfinity = 0x7c,   kNan = 0x7f; };
// tf32 is an f32 whose low 13 mantissa bits are zero; here without them, see convert_small.cpp.
struct TF32 { static constexpr int kMantissaBits = 10, kLowestExponent = -126, kSignBit = 18;
              static constexpr uint32_t kLargest = 0x3fbff, kInfinity = 0x3fc00, kNan = 0x3ffff; };
// clang-format on

inline uint32_t bits_of(float value) { return __builtin_bit_cast(uint32_t, value); }
inline uint64_t bits_of(double value) { return __builtin_bit_cast(uint64_t, value); }
inline float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline double double_of(uint64_t bits) { return __builtin_bit_cast(double, bits); }

// Exact: every value of a smaller format is a float.
template <class Format>
inline float widen(uint32_t bits) {
  constexpr int kShift = 23 - Format::kMantissaBits;
  const uint32_t sign = (bits >> Format::kSignBit & 1u) << 31;
  const uint32_t magnitude = bits & ((1u << Format::kSignBit) - 1);
  const uint32_t normal = (magnitude << kShift) + (static_cast<uint32_t>(Format::kLowestExponent + 126) << 23);
  // Subnormals are a count of the smallest step, which is a power of two that float has.
  constexpr float kStep = __builtin_bit_cast(
      float, static_cast<uint32_t>(Format::kLowestExponent - Format::kMantissaBits + 127 > 0
                                       ? (Format::kLowestExponent - Format::kMantissaBits + 127) << 23
                                       : 1 << (Format::kLowestExponent - Format::kMantissaBits + 149)));
  const float subnormal = static_cast<float>(static_cast<int32_t>(magnitude)) * kStep;
  uint32_t result = magnitude < (1u << Format::kMantissaBits) ? bits_of(subnormal) : normal;
  result = magnitude == Format::kInfinity ? 0x7f800000u : result;
  result = magnitude > Format::kLargest && (magnitude != Format::kInfinity || Format::kInfinity == Format::kNan)
               ? 0x7fffffffu
               : result;
  return float_of(sign | result);
}

// Rounds once, exactly. `kSaturate`: what would be infinite becomes the largest finite value (.satfinite).
template <class Format, Round kRound, bool kSaturate = false>
inline uint32_t narrow(float value) {
  const uint32_t bits = bits_of(value);
  const uint32_t sign = bits >> 31;
  const uint32_t magnitude = bits & 0x7fffffffu;
  // value = significand * 2^(exponent - 23), in float's own scale
  const uint32_t biased = magnitude >> 23;
  const uint32_t significand = biased ? (magnitude & 0x7fffffu) | 0x800000u : magnitude;
  const int exponent = static_cast<int>(biased ? biased : 1u) - 127;
  // The result's scale: its exponent, but not below the format's lowest (there it is subnormal and loses digits).
  const int scale = exponent > Format::kLowestExponent ? exponent : Format::kLowestExponent;
  int shift = 23 - Format::kMantissaBits + scale - exponent;
  shift = shift > 26 ? 26 : shift;  // 25 bits or more below the last digit: all the same to rounding
  uint32_t kept = significand >> shift;
  const uint32_t half = 1u << (shift - 1);
  const uint32_t rest = significand & ((half << 1) - 1);
  bool away = false;
  if constexpr (kRound == Round::nearest_even) away = rest + (kept & 1u) > half;
  if constexpr (kRound == Round::nearest_away) away = rest >= half;
  if constexpr (kRound == Round::down) away = rest != 0 && sign != 0;
  if constexpr (kRound == Round::up) away = rest != 0 && sign == 0;
  kept += away ? 1u : 0u;
  // The hidden bit, when there is one, adds the one that makes the exponent field right; so does a carry out of kept.
  uint32_t result = (static_cast<uint32_t>(scale - Format::kLowestExponent) << Format::kMantissaBits) + kept;
  // Beyond the largest: infinity, or the largest when rounding does not go away from zero.
  constexpr bool kNearest = kRound == Round::nearest_even || kRound == Round::nearest_away;
  const bool to_infinity = !kSaturate && (kNearest || magnitude == 0x7f800000u ||
                                          (kRound == Round::down && sign != 0) || (kRound == Round::up && sign == 0));
  result = result > Format::kLargest ? (to_infinity ? Format::kInfinity : Format::kLargest) : result;
  return magnitude > 0x7f800000u ? Format::kNan : (sign << Format::kSignBit) | result;
}

// Round to odd: whatever is cut off leaves the last digit odd, so that a later rounding to at least two digits fewer
// sees on which side of a tie the exact value was (Boldo and Melquiond, "When double rounding is odd").
inline float narrow_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const double error = value - static_cast<double>(nearest);
  const uint32_t bits = bits_of(nearest);
  const bool grew = (error < 0) == (value > 0);  // the magnitude was rounded up
  const uint32_t odd = grew ? bits - 1 : bits + 1;
  const bool inexact = error != 0 && (bits & 1u) == 0;  // NaN: value - nearest is NaN, which != 0, but the bits stay NaN
  return float_of(inexact && value - value == 0 ? odd : bits);
}

}  // namespace ridge::machine::RIDGE_LANES
