// Integer arithmetic on one value that needs more than a C++ operator.
#pragma once

#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {

// Another number of bits with the same sign: Resize<s16, 32> is s32. Bits<s32> is u32.
// clang-format off
template <bool kSigned, int kBits> struct IntegerOf;
template <> struct IntegerOf<false, 8>  { using Type = u8; };
template <> struct IntegerOf<true,  8>  { using Type = s8; };
template <> struct IntegerOf<false, 16> { using Type = u16; };
template <> struct IntegerOf<true,  16> { using Type = s16; };
template <> struct IntegerOf<false, 32> { using Type = u32; };
template <> struct IntegerOf<true,  32> { using Type = s32; };
template <> struct IntegerOf<false, 64> { using Type = u64; };
template <> struct IntegerOf<true,  64> { using Type = s64; };
// clang-format on
template <class T, int kBits>
using Resize = typename IntegerOf<T::kSigned, kBits>::Type;
template <class T>
using Bits = typename IntegerOf<false, T::kBits>::Type;

__extension__ using Wide128 = __int128;
__extension__ using UnsignedWide128 = unsigned __int128;

// Modular arithmetic without C++'s undefined overflow: at least 32 bits, unsigned, negative numbers
// sign-extended.
template <class Value>
constexpr auto word(Value value) {
  if constexpr (sizeof(Value) == 8)
    return static_cast<uint64_t>(value);
  else
    return static_cast<uint32_t>(value);
}

// The next larger integer type of the same sign.
constexpr uint32_t wide(uint16_t value) {
  return value;
}
constexpr int32_t wide(int16_t value) {
  return value;
}
constexpr uint64_t wide(uint32_t value) {
  return value;
}
constexpr int64_t wide(int32_t value) {
  return value;
}
constexpr UnsignedWide128 wide(uint64_t value) {
  return value;
}
constexpr Wide128 wide(int64_t value) {
  return value;
}

template <class Value>
constexpr Value high_product(Value a, Value b) {
  return static_cast<Value>(wide(a) * wide(b) >> 8 * sizeof(Value));
}

// The low 24 bits, zero- or sign-extended to an integer that holds their product.
constexpr uint64_t low24(uint32_t value) {
  return value & 0xffffffu;
}
constexpr int64_t low24(int32_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) << 8) >> 8;
}

constexpr int32_t clamp_s32(int64_t value) {
  return static_cast<int32_t>(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

// Division as on the GPU: by zero gives all ones in both results, the lowest number by -1 gives
// itself.
template <class Value>
struct Division {
  Value quotient, remainder;
};
template <class Value>
constexpr Division<Value> divide(Value a, Value b) {
  constexpr Value kAllOnes = static_cast<Value>(-1);
  if constexpr (sizeof(Value) <= 4) {
    // Vector units have no integer division, but a double holds both numbers exactly, and their
    // quotient is never rounded up to an integer: it is at least 2^-32 below the next one, and a
    // double's step is 2^-21 of that.
    const double exact = static_cast<double>(a) / static_cast<double>(b == 0 ? Value(1) : b);
    const auto quotient = static_cast<Value>(static_cast<int64_t>(exact));
    const auto remainder = static_cast<Value>(word(a) - word(quotient) * word(b));
    return {b == 0 ? kAllOnes : quotient, b == 0 ? kAllOnes : remainder};
  } else {
    const bool negates = kAllOnes < 0 && b == kAllOnes;
    const Value safe = b == 0 || negates ? Value(1) : b;
    const Value quotient = negates ? static_cast<Value>(0 - word(a)) : static_cast<Value>(a / safe);
    return {b == 0 ? kAllOnes : quotient, b == 0 ? kAllOnes : static_cast<Value>(negates ? 0 : a % safe)};
  }
}

}  // namespace ridge::machine::RIDGE_LANES
