// The types of PTX in the lane operations.
//
// A type defines the size of a lane's *cell*, the value in the cell, and the conversions between them:
//   Value load(Cell)   the value that the operation computes with (f16 computes with float, s16 with
//                      int16_t)
//   Cell store(Value)  stores the result, with its rounding, flushing and saturation
// `name` and `ftz` are its parts of an opcode: {"add", T::ftz, ".", T::name} is add.f32 or
// add.ftz.f32. So `.ftz` is not part of any operation: f32_ftz is a type whose load and store flush.
// `.sat` and `.relu` are types that wrap other types. A packed type (f16x2) is a row of 64 small cells
// instead of 32 larger ones.
#pragma once

#include <cstdint>
#include <type_traits>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/lanes/operations/minifloat.h"

namespace ridge::machine::RIDGE_LANES {

// Registers are bytes that operations access as cells of various sizes: compiled with
// -fno-strict-aliasing.
using Cell16 = uint16_t;
using Cell32 = uint32_t;
using Cell64 = uint64_t;
struct Cell128 {
  uint64_t low, high;
};

template <RowType kRow>
using LaneCell = std::conditional_t<kRow == RowType::b32, Cell32,
                                    std::conditional_t<kRow == RowType::b64, Cell64, Cell128>>;
constexpr Cell128 either(bool first, const Cell128& a, const Cell128& b) {
  return {either(first, a.low, b.low), either(first, a.high, b.high)};
}

// Integers: only the low bits of the cell are read. Unsigned values are zero-extended to the cell,
// signed values sign-extended, as PTX requires for a cvt whose destination register is wider than
// the type.
template <class Integer, class CellType, RowType kRowType, int kCount = kLanes>
struct integer {
  using Value = Integer;
  using Cell = CellType;
  static constexpr RowType kRow = kRowType;
  static constexpr int kCells = kCount;
  static constexpr int kBits = 8 * sizeof(Value);
  static constexpr bool kSigned = static_cast<Value>(-1) < static_cast<Value>(1);
  static constexpr const char* ftz = "";
  static Value load(Cell cell) { return static_cast<Value>(cell); }
  static Cell store(Value value) { return static_cast<Cell>(value); }
};

// clang-format off
struct u8  : integer<uint8_t,  Cell32, RowType::b32> { static constexpr const char* name = "u8"; };
struct s8  : integer<int8_t,   Cell32, RowType::b32> { static constexpr const char* name = "s8"; };
struct u16 : integer<uint16_t, Cell32, RowType::b32> { static constexpr const char* name = "u16"; };
struct s16 : integer<int16_t,  Cell32, RowType::b32> { static constexpr const char* name = "s16"; };
struct u32 : integer<uint32_t, Cell32, RowType::b32> { static constexpr const char* name = "u32"; };
struct s32 : integer<int32_t,  Cell32, RowType::b32> { static constexpr const char* name = "s32"; };
struct u64 : integer<uint64_t, Cell64, RowType::b64> { static constexpr const char* name = "u64"; };
struct s64 : integer<int64_t,  Cell64, RowType::b64> { static constexpr const char* name = "s64"; };
struct u16x2 : integer<uint16_t, Cell16, RowType::b32, 2 * kLanes> { static constexpr const char* name = "u16x2"; };
struct s16x2 : integer<int16_t,  Cell16, RowType::b32, 2 * kLanes> { static constexpr const char* name = "s16x2"; };
// clang-format on
// Untyped bits are unsigned integers: operations on b32 are those on u32, under another name.
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;

struct b128 {
  using Value = Cell128;
  using Cell = Cell128;
  static constexpr RowType kRow = RowType::b128;
  static constexpr int kCells = kLanes;
  static Value load(const Cell& cell) { return cell; }
  static Cell store(const Value& value) { return value; }
};

// A predicate: the row is one 32-bit mask, the value a bool.
struct pred {
  using Value = bool;
  static constexpr RowType kRow = RowType::pred;
  static constexpr int kCells = kLanes;
};
// The condition code in its fixed row, for add.cc and its variants. It takes no operand.
struct carry : pred {};
// An operand that is equal in every lane (lop3's table): lane 0's value is read once for all.
struct uniform : u32 {};

// Floating point. A NaN result is stored as the canonical NaN of NVIDIA GPUs, so that the bits
// match the GPU's and do not depend on the instruction set or on the order of an addition's
// operands in compiled code.
struct f32 {
  using Value = float;
  using Cell = Cell32;
  static constexpr const char* name = "f32";
  static constexpr const char* ftz = "";
  static constexpr RowType kRow = RowType::b32;
  static constexpr int kCells = kLanes;
  static Value load(Cell cell) { return __builtin_bit_cast(float, static_cast<uint32_t>(cell)); }
  static Cell store(Value value) {
    return value != value ? 0x7fffffffu : __builtin_bit_cast(uint32_t, value);
  }
};

inline float flush(float value) {
  return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0.0f, value) : value;
}

struct f32_ftz : f32 {
  static constexpr const char* ftz = ".ftz";
  static Value load(Cell cell) { return flush(f32::load(cell)); }
  static Cell store(Value value) { return f32::store(flush(value)); }
};

struct f32x2 : f32 {
  static constexpr const char* name = "f32x2";
  static constexpr RowType kRow = RowType::b64;
  static constexpr int kCells = 2 * kLanes;
};
struct f32x2_ftz : f32_ftz {
  static constexpr const char* name = "f32x2";
  static constexpr RowType kRow = RowType::b64;
  static constexpr int kCells = 2 * kLanes;
};

struct f64 {
  using Value = double;
  using Cell = Cell64;
  static constexpr const char* name = "f64";
  static constexpr const char* ftz = "";
  static constexpr RowType kRow = RowType::b64;
  static constexpr int kCells = kLanes;
  static Value load(Cell cell) { return __builtin_bit_cast(double, static_cast<uint64_t>(cell)); }
  static Cell store(Value value) {
    return value != value ? 0xfff8000000000000u : __builtin_bit_cast(uint64_t, value);
  }
};

// f16 and bf16 compute in float and round to nearest even. For +, -, *, / and sqrt this is exact:
// float has more than twice their digits plus two, so rounding twice equals rounding once. That is
// not true for fma, which has its own code (half.cpp).
template <class Format, class CellType, int kCount, bool kFlush>
struct small_float {
  using Value = float;
  using Cell = CellType;
  static constexpr RowType kRow = RowType::b32;
  static constexpr int kCells = kCount;
  static constexpr const char* ftz = kFlush ? ".ftz" : "";
  using Bits = Format;
  static uint32_t flushed(uint32_t bits) {
    constexpr uint32_t kSmallestNormal = 1u << Format::kMantissaBits;
    return kFlush ? bits & (0x8000u | ~ones_if_greater(kSmallestNormal, bits & 0x7fffu)) : bits;
  }
  static Value load(Cell cell) { return widen<Format>(flushed(cell & 0xffffu)); }
  static Cell store(Value value) {
    return static_cast<Cell>(flushed(narrow<Format, Round::nearest_even>(value)));
  }
};

// clang-format off
struct f16        : small_float<F16, Cell32, kLanes, false>      { static constexpr const char* name = "f16"; };
struct f16_ftz    : small_float<F16, Cell32, kLanes, true>       { static constexpr const char* name = "f16"; };
struct f16x2      : small_float<F16, Cell16, 2 * kLanes, false>  { static constexpr const char* name = "f16x2"; };
struct f16x2_ftz  : small_float<F16, Cell16, 2 * kLanes, true>   { static constexpr const char* name = "f16x2"; };
struct bf16       : small_float<BF16, Cell32, kLanes, false>     { static constexpr const char* name = "bf16"; };
struct bf16_ftz   : small_float<BF16, Cell32, kLanes, true>      { static constexpr const char* name = "bf16"; };
struct bf16x2     : small_float<BF16, Cell16, 2 * kLanes, false> { static constexpr const char* name = "bf16x2"; };
struct bf16x2_ftz : small_float<BF16, Cell16, 2 * kLanes, true>  { static constexpr const char* name = "bf16x2"; };
// clang-format on

template <class T>
constexpr bool kIsSmallFloat = requires {
  typename T::Bits;
};

// `.sat`: the result is clamped to [0, 1]; NaN and -0 become +0.
template <class T>
struct sat : T {
  static typename T::Cell store(typename T::Value value) {
    using Value = typename T::Value;
    return T::store(value > 0 ? (value < 1 ? value : Value(1)) : Value(0));
  }
};
// `.relu`: a negative result becomes 0; NaN stays NaN.
template <class T>
struct relu : T {
  static typename T::Cell store(typename T::Value value) {
    return T::store(value <= 0 ? typename T::Value(0) : value);
  }
};
// `sat` for small floats (16 bits and fewer): clamps the bits of the rounded result.
template <class T>
requires kIsSmallFloat<T>
struct sat<T> : T {
  static typename T::Cell store(float value) {
    using Format = typename T::Bits;
    constexpr uint32_t kOne = static_cast<uint32_t>(1 - Format::kLowestExponent) << Format::kMantissaBits;
    const uint32_t bits = T::store(value);
    const uint32_t clamped = replace(bits, kOne, ones_if_greater(bits, kOne));
    const uint32_t is_negative_or_nan = ones_if_greater(bits, Format::kInfinity);
    return static_cast<typename T::Cell>(clamped & ~is_negative_or_nan);
  }
};
template <class T>
requires kIsSmallFloat<T>
struct relu<T> : T {
  static typename T::Cell store(float value) {
    const uint32_t bits = T::store(value);
    return static_cast<typename T::Cell>(bits & ((bits >> T::Bits::kSignBit) - 1));
  }
};

// Two results, for dst and dst2.
template <class First, class Second>
struct both {};
template <class First, class Second>
struct Both {
  First first;
  Second second;
};

// A list of types, and a loop over it: each(types<u32, s32>{}, [&]<class T>(T) { ... T::name ...
// });
template <class... T>
struct types {};
template <class... T, class Visit>
void each(types<T...>, Visit visit) {
  (visit(T{}), ...);
}

}  // namespace ridge::machine::RIDGE_LANES
