// f16 and bf16, scalar and packed, rounded to nearest even.
#include "virtual_gpu/machine/lanes/operations/approximate.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/float_functors.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// a * b + c, computed in Real, which must hold a * b exactly: float for f16 (22 digits from 2^-48
// to 2^32), double for the exponents of bf16. The sum is rounded to odd with the exact error from
// Knuth's formula; rounding that to the small format equals one rounding of the exact value.
template <class Real>
Real fma_to_odd(float a, float b, float c) {
  const Real product = static_cast<Real>(a) * static_cast<Real>(b);
  const Real addend = static_cast<Real>(c);
  const Real sum = product + addend;
  const Real virtual_addend = sum - product;
  const Real error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  return to_odd(sum, error);
}
constexpr auto fma_f16 = [](float a, float b, float c) { return fma_to_odd<float>(a, b, c); };
constexpr auto fma_bf16 = [](float a, float b, float c) {
  return narrow_to_odd(fma_to_odd<double>(a, b, c));
};

// fma.oob: a tensor copy can fill elements outside the tensor with a special NaN, for which this
// gives 0. The manual does not specify the NaN; an H200 uses 0x7ff7, of either sign.
template <class Format, class Fma>
constexpr auto unless_outside = [](float a, float b, float c) {
  constexpr uint32_t kMantissa = 0x7ff7u & ((1u << Format::kMantissaBits) - 1);
  constexpr uint32_t kOutside = 0x7f800000u | kMantissa << (23 - Format::kMantissaBits);
  const bool outside = ((bits_of(a) & 0x7fffffffu) == kOutside) | ((bits_of(b) & 0x7fffffffu) == kOutside);
  return outside ? 0.0f : static_cast<float>(Fma{}(a, b, c));
};

template <class Value>
constexpr auto kSignMask = static_cast<Value>(0x8000);
constexpr auto clear_sign = [](auto a) { return a & ~kSignMask<decltype(a)>; };
constexpr auto flip_sign = [](auto a) { return a ^ kSignMask<decltype(a)>; };

// a*b - c and c - a*b, which contraction makes of sub (decode/contraction.cpp).
template <class Fma>
constexpr auto kMinus = [](float a, float b, float c) { return Fma{}(a, b, -c); };
template <class Fma>
constexpr auto kSubtracted = [](float a, float b, float c) { return Fma{}(-a, b, c); };

template <class T, class Fma>
void add_arithmetic(LaneTable& table, Fma fma) {
  for (const char* rn : {"", ".rn"}) {
    row<T(T, T)>(table, {"add", rn, T::ftz, ".", T::name}, fadd);
    row<T(T, T)>(table, {"sub", rn, T::ftz, ".", T::name}, fsub);
    row<T(T, T)>(table, {"mul", rn, T::ftz, ".", T::name}, fmul);
  }
  row<T(T, T, T)>(table, {"fma.rn", T::ftz, ".", T::name}, fma);
  row<relu<T>(T, T, T)>(table, {"fma.rn", T::ftz, ".relu.", T::name}, fma);
  row<T(T, T, T)>(table, {"fma.rn", T::ftz, ".", T::name, ":minus"}, kMinus<Fma>);
  row<T(T, T, T)>(table, {"fma.rn", T::ftz, ".", T::name, ":subtracted"}, kSubtracted<Fma>);
  if constexpr (T::ftz[0] == 0) {
    row<T(T, T, T)>(table, {"fma.rn.oob.", T::name}, unless_outside<typename T::Bits, Fma>);
    row<relu<T>(T, T, T)>(table, {"fma.rn.oob.relu.", T::name}, unless_outside<typename T::Bits, Fma>);
  }
  row<T(T, T)>(table, {"min", T::ftz, ".", T::name}, fmin);
  row<T(T, T)>(table, {"max", T::ftz, ".", T::name}, fmax);
  row<T(T, T)>(table, {"min", T::ftz, ".NaN.", T::name}, or_nan<fmin>);
  row<T(T, T)>(table, {"max", T::ftz, ".NaN.", T::name}, or_nan<fmax>);
  row<T(T, T)>(table, {"min", T::ftz, ".xorsign.abs.", T::name}, xorsign<fmin>);
  row<T(T, T)>(table, {"max", T::ftz, ".xorsign.abs.", T::name}, xorsign<fmax>);
  row<T(T, T)>(table, {"min", T::ftz, ".NaN.xorsign.abs.", T::name}, xorsign<or_nan<fmin>>);
  row<T(T, T)>(table, {"max", T::ftz, ".NaN.xorsign.abs.", T::name}, xorsign<or_nan<fmax>>);
}
template <class T>
void add_saturating(LaneTable& table) {
  for (const char* rn : {"", ".rn"}) {
    row<sat<T>(T, T)>(table, {"add", rn, T::ftz, ".sat.", T::name}, fadd);
    row<sat<T>(T, T)>(table, {"sub", rn, T::ftz, ".sat.", T::name}, fsub);
    row<sat<T>(T, T)>(table, {"mul", rn, T::ftz, ".sat.", T::name}, fmul);
  }
  row<sat<T>(T, T, T)>(table, {"fma.rn", T::ftz, ".sat.", T::name}, fma_f16);
  row<sat<T>(T, T, T)>(table, {"fma.rn", T::ftz, ".sat.", T::name, ":minus"}, kMinus<decltype(fma_f16)>);
  row<sat<T>(T, T, T)>(table, {"fma.rn", T::ftz, ".sat.", T::name, ":subtracted"},
                       kSubtracted<decltype(fma_f16)>);
}

}  // namespace

void add_half_arithmetic(LaneTable& table) {
  each(types<f16, f16x2, f16_ftz, f16x2_ftz>{}, [&]<class T>(T) {
    add_arithmetic<T>(table, fma_f16);
    add_saturating<T>(table);
  });
  each(types<bf16, bf16x2>{}, [&]<class T>(T) { add_arithmetic<T>(table, fma_bf16); });
  each(types<f16_ftz, f16x2_ftz>{}, [&]<class T>(T) {
    row<T(T)>(table, {"abs.ftz.", T::name}, fabs);
    row<T(T)>(table, {"neg.ftz.", T::name}, fneg);
  });
  for (const char* type : {"f16", "bf16"}) {
    row<b16(b16)>(table, {"abs.", type}, clear_sign);
    row<b16(b16)>(table, {"neg.", type}, flip_sign);
    row<u16x2(u16x2)>(table, {"abs.", type, "x2"}, clear_sign);
    row<u16x2(u16x2)>(table, {"neg.", type, "x2"}, flip_sign);
  }
  each(types<f16, f16x2>{}, [&]<class T>(T) { row<T(T)>(table, {"ex2.approx.", T::name}, ex2); });
  each(types<bf16_ftz, bf16x2_ftz>{}, [&]<class T>(T) {
    row<T(T)>(table, {"ex2.approx.ftz.", T::name}, ex2);
  });
  each(types<f16, f16x2, bf16, bf16x2>{}, [&]<class T>(T) {
    row<T(T)>(table, {"tanh.approx.", T::name}, tanh_approx);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
