// Signs, minima, maxima and the approximate functions of f32 and f64.
#include "virtual_gpu/machine/lanes/operations/approximate.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/float_functors.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// Sign operations without .ftz operate on bits: nothing is rounded, and a NaN is unchanged.
template <class Value>
constexpr Value kSign = Value(1) << (8 * sizeof(Value) - 1);
// clang-format off
constexpr auto clear_sign = [](auto a) { return a & ~kSign<decltype(a)>; };
constexpr auto flip_sign  = [](auto a) { return a ^ kSign<decltype(a)>; };
constexpr auto copy_sign  = [](auto from, auto to) { return (from & kSign<decltype(to)>) | (to & ~kSign<decltype(to)>); };

template <class Value> constexpr Value kSmallestNormal = 0x1p-126f;
template <> constexpr double kSmallestNormal<double> = 0x1p-1022;
constexpr auto finite     = [](auto a) { return a - a == 0; };
constexpr auto infinite   = [](auto a) { return a == a && a - a != 0; };
constexpr auto number     = [](auto a) { return a == a; };
constexpr auto notanumber = [](auto a) { return a != a; };
constexpr auto normal     = [](auto a) { return (a == 0 || magnitude(a) >= kSmallestNormal<decltype(a)>) && a - a == 0; };  // 0 is
constexpr auto subnormal  = [](auto a) { return a != 0 && magnitude(a) < kSmallestNormal<decltype(a)>; };
// clang-format on

}  // namespace

void add_float_functions(LaneTable& table) {
  row<b32(b32)>(table, {"abs.f32"}, clear_sign);
  row<b32(b32)>(table, {"neg.f32"}, flip_sign);
  row<f32_ftz(f32_ftz)>(table, {"abs.ftz.f32"}, fabs);
  row<f32_ftz(f32_ftz)>(table, {"neg.ftz.f32"}, fneg);
  row<b64(b64)>(table, {"abs.f64"}, clear_sign);
  row<b64(b64)>(table, {"neg.f64"}, flip_sign);
  row<b32(b32, b32)>(table, {"copysign.f32"}, copy_sign);
  row<b64(b64, b64)>(table, {"copysign.f64"}, copy_sign);
  each(types<f32, f64>{}, [&]<class T>(T) {
    row<pred(T)>(table, {"testp.finite.", T::name}, finite);
    row<pred(T)>(table, {"testp.infinite.", T::name}, infinite);
    row<pred(T)>(table, {"testp.number.", T::name}, number);
    row<pred(T)>(table, {"testp.notanumber.", T::name}, notanumber);
    row<pred(T)>(table, {"testp.normal.", T::name}, normal);
    row<pred(T)>(table, {"testp.subnormal.", T::name}, subnormal);
  });
  row<f64(f64, f64)>(table, {"min.f64"}, fmin);
  row<f64(f64, f64)>(table, {"max.f64"}, fmax);
  each(types<f32, f32_ftz>{}, [&]<class T>(T) {
    const auto add_choice = [&]<auto kChoose>(const char* name, const char* name_of_three) {
      row<T(T, T)>(table, {name, T::ftz, ".f32"}, kChoose);
      row<T(T, T)>(table, {name, T::ftz, ".NaN.f32"}, or_nan<kChoose>);
      row<T(T, T)>(table, {name, T::ftz, ".xorsign.abs.f32"}, xorsign<kChoose>);
      row<T(T, T)>(table, {name, T::ftz, ".NaN.xorsign.abs.f32"}, xorsign<or_nan<kChoose>>);
      row<T(T, T, T)>(table, {name_of_three, T::ftz, ".f32"}, of_three<kChoose>);
      row<T(T, T, T)>(table, {name_of_three, T::ftz, ".NaN.f32"}, of_three<or_nan<kChoose>>);
    };
    add_choice.template operator()<fmin>("min", "min3");
    add_choice.template operator()<fmax>("max", "max3");

    row<T(T)>(table, {"ex2.approx", T::ftz, ".f32"}, ex2);
    row<T(T)>(table, {"lg2.approx", T::ftz, ".f32"}, lg2);
    row<T(T)>(table, {"sin.approx", T::ftz, ".f32"}, sine<0>);
    row<T(T)>(table, {"cos.approx", T::ftz, ".f32"}, sine<1>);
    row<T(T)>(table, {"rsqrt.approx", T::ftz, ".f32"}, rsqrt);
    row<T(T, T)>(table, {"div.approx", T::ftz, ".f32"}, div_approx);
  });
  row<f32(f32)>(table, {"tanh.approx.f32"}, tanh_approx);
  row<f64(f64)>(table, {"rcp.approx.ftz.f64"}, rcp_f64);
  row<f64(f64)>(table, {"rsqrt.approx.f64"}, rsqrt_f64);
  row<f64(f64)>(table, {"rsqrt.approx.ftz.f64"}, rsqrt_ftz_f64);
}

}  // namespace ridge::machine::RIDGE_LANES
