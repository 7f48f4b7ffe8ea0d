// f32 and f64 arithmetic, rounded to nearest even. The other roundings are in
// directed_rounding.cpp.
#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/float_functors.h"

namespace ridge::machine::RIDGE_LANES {

void add_float_arithmetic(LaneTable& table) {
  // `.rn` is the default and may be omitted.
  each(types<f32, f32_ftz>{}, [&]<class T>(T) {
    for (const char* rn : {"", ".rn"}) {
      row<T(T, T)>(table, {"add", rn, T::ftz, ".f32"}, fadd);
      row<T(T, T)>(table, {"sub", rn, T::ftz, ".f32"}, fsub);
      row<T(T, T)>(table, {"mul", rn, T::ftz, ".f32"}, fmul);
      row<sat<T>(T, T)>(table, {"add", rn, T::ftz, ".sat.f32"}, fadd);
      row<sat<T>(T, T)>(table, {"sub", rn, T::ftz, ".sat.f32"}, fsub);
      row<sat<T>(T, T)>(table, {"mul", rn, T::ftz, ".sat.f32"}, fmul);
    }
    for (const char* fma : {"fma.rn", "mad.rn"}) {
      row<T(T, T, T)>(table, {fma, T::ftz, ".f32"}, ffma);
      row<sat<T>(T, T, T)>(table, {fma, T::ftz, ".sat.f32"}, ffma);
    }
    // What add and sub become with a product (decode/contraction.cpp): a*b - c and c - a*b.
    row<T(T, T, T)>(table, {"fma.rn", T::ftz, ".f32:minus"}, ffms);
    row<T(T, T, T)>(table, {"fma.rn", T::ftz, ".f32:subtracted"}, ffnma);
    row<sat<T>(T, T, T)>(table, {"fma.rn", T::ftz, ".sat.f32:minus"}, ffms);
    row<sat<T>(T, T, T)>(table, {"fma.rn", T::ftz, ".sat.f32:subtracted"}, ffnma);
    row<T(T, T)>(table, {"div.rn", T::ftz, ".f32"}, fdiv);
    row<T(T, T)>(table, {"div.full", T::ftz, ".f32"}, fdiv);
    row<T(T)>(table, {"rcp.rn", T::ftz, ".f32"}, frcp);
    row<T(T)>(table, {"rcp.approx", T::ftz, ".f32"}, frcp);
    row<T(T)>(table, {"sqrt.rn", T::ftz, ".f32"}, fsqrt);
    row<T(T)>(table, {"sqrt.approx", T::ftz, ".f32"}, fsqrt);
  });
  each(types<f32x2, f32x2_ftz>{}, [&]<class T>(T) {
    for (const char* rn : {"", ".rn"}) {
      row<T(T, T)>(table, {"add", rn, T::ftz, ".f32x2"}, fadd);
      row<T(T, T)>(table, {"sub", rn, T::ftz, ".f32x2"}, fsub);
      row<T(T, T)>(table, {"mul", rn, T::ftz, ".f32x2"}, fmul);
    }
    row<T(T, T, T)>(table, {"fma.rn", T::ftz, ".f32x2"}, ffma);
  });
  for (const char* rn : {"", ".rn"}) {
    row<f64(f64, f64)>(table, {"add", rn, ".f64"}, fadd);
    row<f64(f64, f64)>(table, {"sub", rn, ".f64"}, fsub);
    row<f64(f64, f64)>(table, {"mul", rn, ".f64"}, fmul);
  }
  for (const char* fma : {"fma.rn.f64", "mad.rn.f64"})
    row<f64(f64, f64, f64)>(table, {fma}, ffma);
  row<f64(f64, f64, f64)>(table, {"fma.rn.f64:minus"}, ffms);
  row<f64(f64, f64, f64)>(table, {"fma.rn.f64:subtracted"}, ffnma);
  row<f64(f64, f64)>(table, {"div.rn.f64"}, fdiv);
  row<f64(f64)>(table, {"rcp.rn.f64"}, frcp);
  row<f64(f64)>(table, {"sqrt.rn.f64"}, fsqrt);
  // Mixed precision: one operand of an f32 operation is a small float.
  each(types<f16, bf16>{}, [&]<class T>(T) {
    for (const char* rn : {"", ".rn"}) {
      row<f32(T, f32)>(table, {"add", rn, ".f32.", T::name}, fadd);
      row<f32(T, f32)>(table, {"sub", rn, ".f32.", T::name}, fsub);
      row<sat<f32>(T, f32)>(table, {"add", rn, ".sat.f32.", T::name}, fadd);
      row<sat<f32>(T, f32)>(table, {"sub", rn, ".sat.f32.", T::name}, fsub);
    }
    row<f32(T, T, f32)>(table, {"fma.rn.f32.", T::name}, ffma);
    row<sat<f32>(T, T, f32)>(table, {"fma.rn.sat.f32.", T::name}, ffma);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
