// Floating-point formats smaller than f32: one pair of functions, to float and from float, for all
// of them. Both are integer arithmetic without comparisons or branches: see branchless.h.
#pragma once

#include "virtual_gpu/machine/lanes/operations/branchless.h"

namespace ridge::machine::RIDGE_LANES {

enum class Round { nearest_even, toward_zero, down, up, nearest_away };

// `kLargest` has the bits of the largest finite value without the sign. Formats without infinity
// (e4m3) give NaN instead.
// clang-format off
struct F16  { static constexpr int kMantissaBits = 10, kLowestExponent = -14,  kSignBit = 15;
              static constexpr uint32_t kLargest = 0x7bff, kInfinity = 0x7c00, kNan = 0x7fff; };
struct BF16 { static constexpr int kMantissaBits = 7,  kLowestExponent = -126, kSignBit = 15;
              static constexpr uint32_t kLargest = 0x7f7f, kInfinity = 0x7f80, kNan = 0x7fff; };
struct E4M3 { static constexpr int kMantissaBits = 3,  kLowestExponent = -6,   kSignBit = 7;
              static constexpr uint32_t kLargest = 0x7e,   kInfinity = 0x7f,   kNan = 0x7f; };
struct E5M2 { static constexpr int kMantissaBits = 2,  kLowestExponent = -14,  kSignBit = 7;
              static constexpr uint32_t kLargest = 0x7b,   kInfinity = 0x7c,   kNan = 0x7f; };
// tf32 is an f32 whose low 13 mantissa bits are zero; here they are omitted, see convert_small.cpp.
struct TF32 { static constexpr int kMantissaBits = 10, kLowestExponent = -126, kSignBit = 18;
              static constexpr uint32_t kLargest = 0x3fbff, kInfinity = 0x3fc00, kNan = 0x3ffff; };
// clang-format on

// Exact: every value of a smaller format is a float.
template <class Format>
inline float widen(uint32_t bits) {
  const uint32_t sign = (bits >> Format::kSignBit & 1u) << 31;
  const uint32_t magnitude = bits & ((1u << Format::kSignBit) - 1);
  constexpr int kShift = 23 - Format::kMantissaBits;
  uint32_t result = (magnitude << kShift) + (static_cast<uint32_t>(Format::kLowestExponent + 126) << 23);
  if constexpr (Format::kLowestExponent > -126) {
    // A subnormal is a multiple of the format's smallest step, and a normal number in float.
    constexpr int kStepExponent = Format::kLowestExponent - Format::kMantissaBits;
    constexpr float kStep = __builtin_bit_cast(float, static_cast<uint32_t>(kStepExponent + 127) << 23);
    const uint32_t subnormal = bits_of(static_cast<float>(static_cast<int32_t>(magnitude)) * kStep);
    result = replace(result, subnormal, ones_if_greater(1u << Format::kMantissaBits, magnitude));
  }
  constexpr uint32_t kBeyond = Format::kInfinity == Format::kNan ? 0x7fffffffu : 0x7f800000u;
  result |= kBeyond & ones_if_greater(magnitude, Format::kLargest);
  return float_of(sign | result);
}

// Rounds once, exactly. `kSaturate`: infinite results become the largest finite value (.satfinite).
template <class Format, Round kRound, bool kSaturate = false>
inline uint32_t narrow(float value) {
  const uint32_t sign = bits_of(value) >> 31;
  const uint32_t magnitude = bits_of(value) & 0x7fffffffu;
  // value = significand * 2^(exponent - 23); a subnormal has the exponent of the smallest normal
  // number, without a hidden 1.
  const uint32_t biased = magnitude >> 23;
  const uint32_t is_normal = biased < 1 ? biased : 1;
  const uint32_t significand = (magnitude & 0x7fffffu) | is_normal << 23;
  const int exponent = static_cast<int>(biased + 1 - is_normal) - 127;
  // The result's scale: its exponent, but at least the format's lowest (below that it is subnormal
  // and loses digits).
  const int scale = exponent > Format::kLowestExponent ? exponent : Format::kLowestExponent;
  int shift = 23 - Format::kMantissaBits + scale - exponent;
  shift = shift < 26 ? shift : 26;  // 26 or more bits round in the same way
  const uint32_t kept = significand >> shift;
  const uint32_t half = 1u << (shift - 1);
  const uint32_t rest = significand & (2 * half - 1);
  uint32_t away = 0;
  if constexpr (kRound == Round::nearest_even) away = one_if_greater(rest + (kept & 1u), half);
  if constexpr (kRound == Round::nearest_away) away = one_if_greater(rest + 1, half);
  if constexpr (kRound == Round::down) away = one_if_greater(rest, 0) & sign;
  if constexpr (kRound == Round::up) away = one_if_greater(rest, 0) & ~sign;
  // The hidden bit, if there is one, increments the exponent field to its final value; so does a
  // carry out of `kept`.
  uint32_t result =
      (static_cast<uint32_t>(scale - Format::kLowestExponent) << Format::kMantissaBits) + kept + away;
  // Above the largest value: infinity, or the largest value when rounding is not away from zero and
  // the operand is finite.
  uint32_t to_infinity = ones_if_greater(magnitude, 0x7f7fffffu);
  if constexpr (kRound == Round::nearest_even || kRound == Round::nearest_away) to_infinity = 0xffffffffu;
  if constexpr (kRound == Round::down) to_infinity |= 0u - sign;
  if constexpr (kRound == Round::up) to_infinity |= sign - 1u;
  if constexpr (kSaturate) to_infinity = 0;
  const uint32_t beyond = replace(Format::kLargest, Format::kInfinity, to_infinity);
  result = replace(result, beyond, ones_if_greater(result, Format::kLargest));
  return replace(sign << Format::kSignBit | result, Format::kNan, ones_if_greater(magnitude, 0x7f800000u));
}

// Round to odd: if anything is cut off, the last digit becomes odd, so that a later rounding to at
// least two digits fewer knows on which side of a tie the exact value was (Boldo and Melquiond,
// "When double rounding is odd"). Here the input is a value rounded to nearest, and its error: even
// values move one step in the direction of the error. No change without an error, or with NaN (that
// of an infinite value).
template <class Value, class Error>
Value to_odd(Value nearest, Error error) {
  using Bits = decltype(bits_of(nearest));
  using ErrorBits = decltype(bits_of(error));
  constexpr int kTop = 8 * sizeof(Error) - 1;
  constexpr ErrorBits kInfinity = __builtin_bit_cast(ErrorBits, Error(__builtin_inf()));
  const ErrorBits magnitude = bits_of(error) & ~(ErrorBits(1) << kTop);
  const ErrorBits is_some = one_if_greater(magnitude, ErrorBits(0)) & ~one_if_greater(magnitude, kInfinity);
  const Bits moves = static_cast<Bits>(is_some) & ~bits_of(nearest) & 1u;
  const Bits back = static_cast<Bits>(bits_of(error) >> kTop) ^ (bits_of(nearest) >> (8 * sizeof(Value) - 1));
  return __builtin_bit_cast(Value, static_cast<Bits>(bits_of(nearest) + moves - 2 * (moves & back)));
}
inline float narrow_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  return to_odd(nearest, value - static_cast<double>(nearest));
}

}  // namespace ridge::machine::RIDGE_LANES
