// cvt to f32 and f64, and rounding to an integral value within a type.
#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// clang-format off
constexpr auto same      = [](auto a) { return a; };
constexpr auto to_float  = [](auto a) { return static_cast<float>(a); };
constexpr auto to_double = [](auto a) { return static_cast<double>(a); };
constexpr auto nearest   = [](auto a) { if constexpr (sizeof a == 8) return __builtin_rint(a);  else return __builtin_rintf(a); };
constexpr auto chopped   = [](auto a) { if constexpr (sizeof a == 8) return __builtin_trunc(a); else return __builtin_truncf(a); };
constexpr auto floored   = [](auto a) { if constexpr (sizeof a == 8) return __builtin_floor(a); else return __builtin_floorf(a); };
constexpr auto raised    = [](auto a) { if constexpr (sizeof a == 8) return __builtin_ceil(a);  else return __builtin_ceilf(a); };
// clang-format on

// Each conversion also with .sat, which clamps to [0, 1].
template <class To, class From, class Functor>
void convert(LaneTable& table, const char* mode, const char* ftz, const char* types_text, Functor functor) {
  row<To(From)>(table, {"cvt", mode, ftz, ".", types_text}, functor);
  row<sat<To>(From)>(table, {"cvt", mode, ftz, ".sat.", types_text}, functor);
}

template <class T>
void add_integral(LaneTable& table, const char* types_text) {
  convert<T, T>(table, ".rni", T::ftz, types_text, nearest);
  convert<T, T>(table, ".rzi", T::ftz, types_text, chopped);
  convert<T, T>(table, ".rmi", T::ftz, types_text, floored);
  convert<T, T>(table, ".rpi", T::ftz, types_text, raised);
}

}  // namespace

void add_float_conversions(LaneTable& table) {
  convert<f32, f32>(table, "", "", "f32.f32", same);
  convert<f32_ftz, f32_ftz>(table, "", ".ftz", "f32.f32", same);
  convert<f64, f64>(table, "", "", "f64.f64", same);
  convert<f32, f64>(table, ".rn", "", "f32.f64", to_float);
  convert<f32_ftz, f64>(table, ".rn", ".ftz", "f32.f64", to_float);
  convert<f64, f32>(table, "", "", "f64.f32", to_double);
  convert<f64, f32_ftz>(table, "", ".ftz", "f64.f32", to_double);
  convert<f32, f16>(table, "", "", "f32.f16", same);
  convert<f32_ftz, f16>(table, "", ".ftz", "f32.f16", same);
  convert<f32, bf16>(table, "", "", "f32.bf16", same);
  convert<f32_ftz, bf16>(table, "", ".ftz", "f32.bf16", same);
  for (const char* mode : {".rn", ".rz", ".rm", ".rp"}) {  // exact, whatever the rounding
    row<f32(bf16)>(table, {"cvt", mode, ".f32.bf16"}, same);
    row<f32_ftz(bf16)>(table, {"cvt", mode, ".ftz.f32.bf16"}, same);
    row<f64(bf16)>(table, {"cvt", mode, ".f64.bf16"}, to_double);
  }
  convert<f64, f16>(table, "", "", "f64.f16", to_double);
  convert<f64, bf16>(table, "", "", "f64.bf16", to_double);
  convert<f16, f16>(table, "", "", "f16.f16", same);
  convert<bf16, bf16>(table, "", "", "bf16.bf16", same);
  each(types<u8, s8, u16, s16, u32, s32, u64, s64>{}, [&]<class From>(From) {
    for (const char* ftz : {"", ".ftz"}) {  // an integer is never subnormal
      row<f32(From)>(table, {"cvt.rn", ftz, ".f32.", From::name}, to_float);
      row<sat<f32>(From)>(table, {"cvt.rn", ftz, ".sat.f32.", From::name}, to_float);
    }
    row<f64(From)>(table, {"cvt.rn.f64.", From::name}, to_double);
    row<sat<f64>(From)>(table, {"cvt.rn.sat.f64.", From::name}, to_double);
  });
  add_integral<f32>(table, "f32.f32");
  add_integral<f32_ftz>(table, "f32.f32");
  add_integral<f64>(table, "f64.f64");
  add_integral<f16>(table, "f16.f16");
  add_integral<bf16>(table, "bf16.bf16");
}

}  // namespace ridge::machine::RIDGE_LANES
