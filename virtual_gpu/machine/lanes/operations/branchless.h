// A value's bits, and selections that do not prevent vectorization.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ridge::machine::RIDGE_LANES {

inline uint32_t bits_of(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
inline uint64_t bits_of(double value) {
  return __builtin_bit_cast(uint64_t, value);
}
inline float float_of(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline double double_of(uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

// If a selection depends on much computation, compilers move it into a branch and the loop is not
// vectorized. Integer arithmetic prevents that: 1 if a > b is the sign bit of b - a, and 0 minus
// that is all zeros or all ones. For a and b below 2^31 (2^63).
constexpr uint32_t one_if_greater(uint32_t a, uint32_t b) {
  return (b - a) >> 31;
}
constexpr uint64_t one_if_greater(uint64_t a, uint64_t b) {
  return (b - a) >> 63;
}
template <class Bits>
constexpr Bits ones_if_greater(Bits a, std::type_identity_t<Bits> b) {
  return Bits(0) - one_if_greater(a, b);
}
template <class Bits>
constexpr Bits replace(Bits value, std::type_identity_t<Bits> by, std::type_identity_t<Bits> where) {
  return (value & ~where) | (by & where);
}

// `a` if `first`, otherwise `b`; both are loaded. Compilers turn `first ? a : b` into a conditional
// load, which prevents vectorization.
template <class Value>
constexpr Value either(bool first, Value a, Value b) {
  const Value ones = first ? static_cast<Value>(~Value(0)) : Value(0);
  return static_cast<Value>(b ^ ((a ^ b) & ones));
}

// Lane i's bit of a mask. mask & kLaneBits.bit[i] is a vector operation on every CPU; mask >> i is
// not.
struct LaneBits {
  alignas(64) uint32_t bit[32];
};
constexpr LaneBits lane_bits() {
  LaneBits result{};
  for (int i = 0; i < 32; ++i)
    result.bit[i] = 1u << i;
  return result;
}
inline constexpr LaneBits kLaneBits = lane_bits();

}  // namespace ridge::machine::RIDGE_LANES
