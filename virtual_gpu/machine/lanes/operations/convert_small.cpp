// cvt to formats smaller than f32: f16, bf16, tf32 and the 8-bit ones. All go through a float that
// is exact or rounded to odd, and narrow<> rounds once.
#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// A result with a rounding other than to nearest even, or clamped to finite values.
template <class T, Round kRound, bool kSatFinite = false>
struct rounded : T {
  static typename T::Cell store(float value) { return narrow<typename T::Bits, kRound, kSatFinite>(value); }
};

float odd_float(float a) {
  return a;
}
float odd_float(double a) {
  return narrow_to_odd(a);
}
template <class Integer>
float odd_float(Integer a) {
  if constexpr (sizeof(Integer) < 4) {
    return static_cast<float>(a);
  } else if constexpr (sizeof(Integer) == 4) {
    return narrow_to_odd(static_cast<double>(a));
  } else {
    // A double holds 53 bits: of larger numbers the last 11 bits are OR-ed into one, which is
    // rounding to odd.
    constexpr Integer kExact = Integer(1) << 53;
    const bool large = a > kExact || (static_cast<Integer>(-1) < 0 && a < static_cast<Integer>(0 - kExact));
    const Integer folded = a >> 11 | static_cast<Integer>((a & 0x7ff) != 0);
    return narrow_to_odd(large ? static_cast<double>(folded) * 2048 : static_cast<double>(a));
  }
}
constexpr auto to_odd = [](auto a) { return odd_float(a); };
// For .relu: negative values are clamped before rounding; NaN is kept.
constexpr auto same = [](float a) { return a; };
constexpr auto not_negative = [](float a) {
  const uint32_t is_nan = ones_if_greater(bits_of(a) & 0x7fffffffu, 0x7f800000u);
  return float_of(bits_of(a) & (is_nan | ((bits_of(a) >> 31) - 1)));
};

template <class To, class From, Round kRound>
void add_mode(LaneTable& table, const char* mode, const char* ftz, const char* from) {
  row<rounded<To, kRound>(From)>(table, {"cvt", mode, ftz, ".", To::name, ".", from}, to_odd);
  row<sat<rounded<To, kRound>>(From)>(table, {"cvt", mode, ftz, ".sat.", To::name, ".", from}, to_odd);
}
template <class To, class From>
void add_modes(LaneTable& table, const char* ftz, const char* from) {
  add_mode<To, From, Round::nearest_even>(table, ".rn", ftz, from);
  add_mode<To, From, Round::toward_zero>(table, ".rz", ftz, from);
  add_mode<To, From, Round::down>(table, ".rm", ftz, from);
  add_mode<To, From, Round::up>(table, ".rp", ftz, from);
}

// f16 and bf16 with .relu and .satfinite, from one f32, or from two into a packed pair: a in the
// upper half.
template <class Format, Round kRound, bool kSatFinite, auto kPrepare>
constexpr auto narrow_one = [](float a) { return narrow<Format, kRound, kSatFinite>(kPrepare(a)); };
template <class Format, Round kRound, bool kSatFinite, auto kPrepare>
constexpr auto narrow_two = [](float a, float b) {
  return narrow<Format, kRound, kSatFinite>(kPrepare(a)) << (Format::kSignBit + 1) |
         narrow<Format, kRound, kSatFinite>(kPrepare(b));
};

template <class T, Round kRound, bool kSatFinite, auto kPrepare>
void add_narrowing(LaneTable& table, const char* mode, const char* modifiers, bool is_new) {
  using Format = typename T::Bits;
  if (is_new)  // add_modes adds the variant without modifiers
    row<u32(f32)>(table, {"cvt", mode, modifiers, ".", T::name, ".f32"},
                  narrow_one<Format, kRound, kSatFinite, kPrepare>);
  row<u32(f32, f32)>(table, {"cvt", mode, modifiers, ".", T::name, "x2.f32"},
                     narrow_two<Format, kRound, kSatFinite, kPrepare>);
}
template <class T, Round kRound>
void add_narrowings(LaneTable& table, const char* mode) {
  add_narrowing<T, kRound, false, same>(table, mode, "", false);
  add_narrowing<T, kRound, false, not_negative>(table, mode, ".relu", true);
  add_narrowing<T, kRound, true, same>(table, mode, ".satfinite", true);
  add_narrowing<T, kRound, true, not_negative>(table, mode, ".relu.satfinite", true);
  add_narrowing<T, kRound, true, not_negative>(table, mode, ".satfinite.relu", true);
}

// tf32 is an f32 whose last 13 bits are zero.
template <Round kRound, bool kSatFinite, auto kPrepare>
constexpr auto to_tf32 = [](float a) { return narrow<TF32, kRound, kSatFinite>(kPrepare(a)) << 13; };
template <Round kRound>
void add_tf32(LaneTable& table, const char* mode) {
  row<u32(f32)>(table, {"cvt", mode, ".tf32.f32"}, to_tf32<kRound, false, same>);
  row<u32(f32)>(table, {"cvt", mode, ".relu.tf32.f32"}, to_tf32<kRound, false, not_negative>);
  row<u32(f32)>(table, {"cvt", mode, ".satfinite.tf32.f32"}, to_tf32<kRound, true, same>);
  row<u32(f32)>(table, {"cvt", mode, ".satfinite.relu.tf32.f32"}, to_tf32<kRound, true, not_negative>);
}

// The 8-bit formats are converted in pairs: two f32 or an f16x2 to a 16-bit pair, and back to an
// f16x2.
template <class Format, auto kPrepare>
constexpr auto bytes_of_halves = [](uint32_t halves) {
  return narrow_two<Format, Round::nearest_even, true, kPrepare>(widen<F16>(halves >> 16),
                                                                 widen<F16>(halves & 0xffff));
};
template <class Format, auto kPrepare>
constexpr auto halves_of_bytes = [](uint32_t bytes) {
  return narrow_two<F16, Round::nearest_even, false, kPrepare>(widen<Format>(bytes >> 8 & 0xff),
                                                               widen<Format>(bytes & 0xff));
};
template <class Format, auto kPrepare>
void add_eight_bit(LaneTable& table, const char* relu_text, const char* name) {
  constexpr auto kFromFloats = narrow_two<Format, Round::nearest_even, true, kPrepare>;
  row<b16(f32, f32)>(table, {"cvt.rn.satfinite", relu_text, ".", name, ".f32"}, kFromFloats);
  row<b16(u32)>(table, {"cvt.rn.satfinite", relu_text, ".", name, ".f16x2"},
                bytes_of_halves<Format, kPrepare>);
  row<u32(b16)>(table, {"cvt.rn", relu_text, ".f16x2.", name}, halves_of_bytes<Format, kPrepare>);
}

}  // namespace

void add_small_float_conversions(LaneTable& table) {
  each(types<f16, bf16>{}, [&]<class To>(To) {
    add_modes<To, f32>(table, "", "f32");
    each(types<f64, u8, s8, u16, s16, u32, s32, u64, s64>{},
         [&]<class From>(From) { add_modes<To, From>(table, "", From::name); });
    add_narrowings<To, Round::nearest_even>(table, ".rn");
    add_narrowings<To, Round::toward_zero>(table, ".rz");
  });
  // An H200 flushes the operand only for bf16: for f16 it only affects results that are rounded up
  // or down.
  add_modes<bf16, f32_ftz>(table, ".ftz", "f32");
  add_modes<f16, f32>(table, ".ftz", "f32");
  add_modes<f16, bf16>(table, "", "bf16");
  row<f16(bf16)>(table, {"cvt.f16.bf16"}, same);
  row<bf16(f16)>(table, {"cvt.bf16.f16"}, same);
  add_modes<bf16, f16>(table, "", "f16");
  add_tf32<Round::nearest_even>(table, ".rn");
  add_tf32<Round::toward_zero>(table, ".rz");
  add_tf32<Round::nearest_away>(table, ".rna");
  add_eight_bit<E4M3, same>(table, "", "e4m3x2");
  add_eight_bit<E4M3, not_negative>(table, ".relu", "e4m3x2");
  add_eight_bit<E5M2, same>(table, "", "e5m2x2");
  add_eight_bit<E5M2, not_negative>(table, ".relu", "e5m2x2");
}

}  // namespace ridge::machine::RIDGE_LANES
