// Arithmetic and conversions rounded toward zero, down and up: the same loops with the processor's
// rounding mode changed. This file is compiled with -frounding-math. The operands are loaded after
// the change and the results are stored before the mode is restored, so the compiler cannot move
// arithmetic out of that region.
#include <cfenv>

#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/float_functors.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// On x86 only the mode of the vector unit is changed: fesetround also changes that of the x87,
// which takes twenty times as long.
void set_rounding(int mode) {
#if defined(__SSE2__)
  constexpr unsigned kRoundingBits = 0x6000;
  _mm_setcsr((_mm_getcsr() & ~kRoundingBits) | static_cast<unsigned>(mode) << 3);
#else
  fesetround(mode);
#endif
}

template <int kMode, LaneFunction kFull>
void rounded(std::byte* registers, const LaneOperands& o, uint32_t mask) {
  set_rounding(kMode);
  kFull(registers, o, mask);
  set_rounding(FE_TONEAREST);
}

// The loop is compiled once, for three modes.
template <class Signature, class Functor>
void directed_rows(LaneTable& table, const char* before, const char* after, const char* source, Functor) {
  constexpr LaneFunction kFull = Operation<Signature, Functor>::full;
  row_of<Signature, rounded<FE_TOWARDZERO, kFull>>(table, {before, ".rz", after, source});
  row_of<Signature, rounded<FE_DOWNWARD, kFull>>(table, {before, ".rm", after, source});
  row_of<Signature, rounded<FE_UPWARD, kFull>>(table, {before, ".rp", after, source});
}

// Separate functors: the loops of float_arithmetic.cpp are compiled without -frounding-math.
// clang-format off
constexpr auto add  = [](auto a, auto b) { return a + b; };
constexpr auto sub  = [](auto a, auto b) { return a - b; };
constexpr auto mul  = [](auto a, auto b) { return a * b; };
constexpr auto div  = [](auto a, auto b) { return a / b; };
constexpr auto fma  = [](auto a, auto b, auto c) { return fused(a, b, c); };
constexpr auto rcp  = [](auto a) { return decltype(a)(1) / a; };
constexpr auto sqrt = [](auto a) { return root(a); };
// Zero is +0 in every mode; some compilers convert unsigned integers with a final subtraction that
// gives -0 when rounding down.
constexpr auto to_float  = [](auto a) { return a == 0 ? 0.0f : static_cast<float>(a); };
constexpr auto to_double = [](auto a) { return a == 0 ? 0.0 : static_cast<double>(a); };
constexpr auto shorter   = [](double a) { return static_cast<float>(a); };
// clang-format on

template <class T>
void add_arithmetic(LaneTable& table, const char* type) {
  directed_rows<T(T, T)>(table, "add", type, "", add);
  directed_rows<T(T, T)>(table, "sub", type, "", sub);
  directed_rows<T(T, T)>(table, "mul", type, "", mul);
  directed_rows<T(T, T, T)>(table, "fma", type, "", fma);
  directed_rows<T(T, T, T)>(table, "mad", type, "", fma);
}
template <class T>
void add_division(LaneTable& table, const char* type) {
  directed_rows<T(T, T)>(table, "div", type, "", div);
  directed_rows<T(T)>(table, "rcp", type, "", rcp);
  directed_rows<T(T)>(table, "sqrt", type, "", sqrt);
}

}  // namespace

void add_directed_rounding(LaneTable& table) {
  add_arithmetic<f32>(table, ".f32");
  add_arithmetic<f32_ftz>(table, ".ftz.f32");
  add_arithmetic<sat<f32>>(table, ".sat.f32");
  add_arithmetic<sat<f32_ftz>>(table, ".ftz.sat.f32");
  add_arithmetic<f32x2>(table, ".f32x2");
  add_arithmetic<f32x2_ftz>(table, ".ftz.f32x2");
  add_arithmetic<f64>(table, ".f64");
  add_division<f32>(table, ".f32");
  add_division<f32_ftz>(table, ".ftz.f32");
  add_division<f64>(table, ".f64");

  directed_rows<f32(f64)>(table, "cvt", ".f32.f64", "", shorter);
  directed_rows<sat<f32>(f64)>(table, "cvt", ".sat.f32.f64", "", shorter);
  directed_rows<f32_ftz(f64)>(table, "cvt", ".ftz.f32.f64", "", shorter);
  directed_rows<sat<f32_ftz>(f64)>(table, "cvt", ".ftz.sat.f32.f64", "", shorter);
  each(types<u8, s8, u16, s16, u32, s32, u64, s64>{}, [&]<class T>(T) {
    directed_rows<f32(T)>(table, "cvt", ".f32.", T::name, to_float);
    directed_rows<sat<f32>(T)>(table, "cvt", ".sat.f32.", T::name, to_float);
    directed_rows<f32(T)>(table, "cvt", ".ftz.f32.", T::name, to_float);
    directed_rows<sat<f32>(T)>(table, "cvt", ".ftz.sat.f32.", T::name, to_float);
    directed_rows<f64(T)>(table, "cvt", ".f64.", T::name, to_double);
    directed_rows<sat<f64>(T)>(table, "cvt", ".sat.f64.", T::name, to_double);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
