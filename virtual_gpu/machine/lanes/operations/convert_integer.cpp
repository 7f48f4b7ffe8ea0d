// cvt between integers, and from floats to integers.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

using Integers = types<u8, s8, u16, s16, u32, s32, u64, s64>;

template <class T>
constexpr auto kHighest = static_cast<typename T::Value>(T::kSigned ? (uint64_t{1} << (T::kBits - 1)) - 1
                                                                    : ~uint64_t{0});
template <class T>
constexpr auto kLowest = static_cast<typename T::Value>(T::kSigned ? uint64_t{1} << (T::kBits - 1) : 0);

// Without .sat the low bits are kept; the type's signedness then decides how they are extended.
template <class To>
constexpr auto truncate = [](auto a) { return static_cast<typename To::Value>(a); };

template <class To>
constexpr typename To::Value clamp(auto a) {
  using Value = typename To::Value;
  constexpr bool kFromSigned = static_cast<decltype(a)>(-1) < 0;
  // Compare in a type that holds both; u64 and s64 have none, but a negative number is always out
  // of u64's range.
  if constexpr (kFromSigned && !To::kSigned) {
    if (a < 0) return 0;
    return static_cast<uint64_t>(a) > kHighest<To> ? kHighest<To> : static_cast<Value>(a);
  } else if constexpr (kFromSigned) {
    return a > int64_t{kHighest<To>}  ? kHighest<To>
           : a < int64_t{kLowest<To>} ? kLowest<To>
                                      : static_cast<Value>(a);
  } else {
    return a > static_cast<uint64_t>(kHighest<To>) ? kHighest<To> : static_cast<Value>(a);
  }
}
template <class To>
constexpr auto saturate = [](auto a) { return clamp<To>(a); };

// clang-format off
template <Round kRound> float  integral(float a);
template <Round kRound> double integral(double a);
template <> inline float  integral<Round::nearest_even>(float a)  { return __builtin_rintf(a); }
template <> inline double integral<Round::nearest_even>(double a) { return __builtin_rint(a); }
template <> inline float  integral<Round::toward_zero>(float a)   { return __builtin_truncf(a); }
template <> inline double integral<Round::toward_zero>(double a)  { return __builtin_trunc(a); }
template <> inline float  integral<Round::down>(float a)          { return __builtin_floorf(a); }
template <> inline double integral<Round::down>(double a)         { return __builtin_floor(a); }
template <> inline float  integral<Round::up>(float a)            { return __builtin_ceilf(a); }
template <> inline double integral<Round::up>(double a)           { return __builtin_ceil(a); }
// clang-format on

// Values out of range become the nearest representable one, with or without .sat. NaN becomes 0 or,
// when one of the types has 64 bits, the value with only the highest bit set, as the manual
// requires.
template <class To, Round kRound>
constexpr auto to_integer = [](auto a) {
  using From = decltype(a);
  using Value = typename To::Value;
  constexpr Value kNan =
      sizeof(From) == 8 || To::kBits == 64 ? static_cast<Value>(uint64_t{1} << (To::kBits - 1)) : Value(0);
  constexpr From kBeyond =
      static_cast<From>(To::kSigned ? 0x1p-1 : 1.0) * static_cast<From>(uint64_t{1} << (To::kBits - 1)) * 2;
  constexpr From kLeast = static_cast<From>(kLowest<To>);
  const From rounded = integral<kRound>(a);
  // The number converted below is in range in every lane, so the conversion can precede the
  // selections.
  const bool fits = rounded >= kLeast && rounded < kBeyond;
  const auto value = static_cast<Value>(fits ? rounded : From(0));
  const Value outside = a != a ? kNan : rounded < kLeast ? kLowest<To> : kHighest<To>;
  return fits ? value : outside;
};

template <class To, class From, Round kRound>
void add_rounding(LaneTable& table, const char* mode) {
  for (const char* sat_name : {"", ".sat"})
    row<To(From)>(table, {"cvt", mode, From::ftz, sat_name, ".", To::name, ".", From::name},
                  to_integer<To, kRound>);
}

template <class To, class From>
void add_from_float(LaneTable& table) {
  add_rounding<To, From, Round::nearest_even>(table, ".rni");
  add_rounding<To, From, Round::toward_zero>(table, ".rzi");
  add_rounding<To, From, Round::down>(table, ".rmi");
  add_rounding<To, From, Round::up>(table, ".rpi");
}

// A 64-bit register may be used where cvt names a shorter integer: of a source only its low bits
// are read, in a destination the value is extended to 64 bits. The decoder uses these names for
// such registers.
template <class T>
struct in_64 : integer<typename T::Value, Cell64, RowType::b64> {
  static constexpr const char* name = T::name;
};
void add_wider_registers(LaneTable& table) {
  using Short = types<u8, s8, u16, s16, u32, s32>;
  each(Short{}, [&]<class Narrow>(Narrow) {
    each(Integers{}, [&]<class Other>(Other) {
      row<Other(in_64<Narrow>)>(table, {"cvt.", Other::name, ".", Narrow::name, ":from64"}, truncate<Other>);
      row<in_64<Narrow>(Other)>(table, {"cvt.", Narrow::name, ".", Other::name, ":to64"}, truncate<Narrow>);
    });
    each(Short{}, [&]<class Other>(Other) {
      row<in_64<Other>(in_64<Narrow>)>(table, {"cvt.", Other::name, ".", Narrow::name, ":to64:from64"},
                                       truncate<Other>);
    });
    row<f32(in_64<Narrow>)>(table, {"cvt.rn.f32.", Narrow::name, ":from64"},
                            [](auto a) { return static_cast<float>(a); });
    row<f64(in_64<Narrow>)>(table, {"cvt.rn.f64.", Narrow::name, ":from64"},
                            [](auto a) { return static_cast<double>(a); });
    each(types<f32, f64>{}, [&]<class From>(From) {
      row<in_64<Narrow>(From)>(table, {"cvt.rzi.", Narrow::name, ".", From::name, ":to64"},
                               to_integer<Narrow, Round::toward_zero>);
      row<in_64<Narrow>(From)>(table, {"cvt.rni.", Narrow::name, ".", From::name, ":to64"},
                               to_integer<Narrow, Round::nearest_even>);
    });
  });
}

// cvt.pack: a above b, each clamped to kBits bits, with the low bits of c above both.
template <int kBits, bool kSigned>
constexpr uint32_t clamp_to_bits(int32_t a) {
  constexpr int32_t kMax = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  constexpr int32_t kLeast = kSigned ? -(1 << (kBits - 1)) : 0;
  return static_cast<uint32_t>(a > kMax ? kMax : a < kLeast ? kLeast : a) & ((1u << kBits) - 1);
}
template <int kBits, bool kSigned>
constexpr auto pack_two = [](int32_t a, int32_t b) {
  return clamp_to_bits<kBits, kSigned>(a) << kBits | clamp_to_bits<kBits, kSigned>(b);
};
template <int kBits, bool kSigned>
constexpr auto pack_onto =
    [](int32_t a, int32_t b, uint32_t c) { return c << 2 * kBits | pack_two<kBits, kSigned>(a, b); };

void add_packs(LaneTable& table) {
  row<u32(s32, s32)>(table, {"cvt.pack.sat.u16.s32"}, pack_two<16, false>);
  row<u32(s32, s32)>(table, {"cvt.pack.sat.s16.s32"}, pack_two<16, true>);
  row<u32(s32, s32, u32)>(table, {"cvt.pack.sat.u8.s32.b32"}, pack_onto<8, false>);
  row<u32(s32, s32, u32)>(table, {"cvt.pack.sat.s8.s32.b32"}, pack_onto<8, true>);
  row<u32(s32, s32, u32)>(table, {"cvt.pack.sat.u4.s32.b32"}, pack_onto<4, false>);
  row<u32(s32, s32, u32)>(table, {"cvt.pack.sat.s4.s32.b32"}, pack_onto<4, true>);
  row<u32(s32, s32, u32)>(table, {"cvt.pack.sat.u2.s32.b32"}, pack_onto<2, false>);
  row<u32(s32, s32, u32)>(table, {"cvt.pack.sat.s2.s32.b32"}, pack_onto<2, true>);
}

}  // namespace

void add_integer_conversions(LaneTable& table) {
  each(Integers{}, [&]<class To>(To) {
    each(Integers{}, [&]<class From>(From) {
      row<To(From)>(table, {"cvt.", To::name, ".", From::name}, truncate<To>);
      row<To(From)>(table, {"cvt.sat.", To::name, ".", From::name}, saturate<To>);
    });
    each(types<f16, bf16, f32, f32_ftz, f64>{}, [&]<class From>(From) { add_from_float<To, From>(table); });
  });
  add_packs(table);
  add_wider_registers(table);
}

}  // namespace ridge::machine::RIDGE_LANES
