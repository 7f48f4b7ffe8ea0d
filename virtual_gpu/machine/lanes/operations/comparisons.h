// The comparisons of setp and set, with their names. A comparison of floats with NaN is false,
// except for ne and those whose name ends in u (unordered).
#pragma once

#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/compare.h"

namespace ridge::machine::RIDGE_LANES {

// clang-format off
inline constexpr auto float_eq  = [](auto a, auto b) { return a == b; };
inline constexpr auto float_ne  = [](auto a, auto b) { return a < b || a > b; };
inline constexpr auto float_lt  = [](auto a, auto b) { return a < b; };
inline constexpr auto float_le  = [](auto a, auto b) { return a <= b; };
inline constexpr auto float_gt  = [](auto a, auto b) { return a > b; };
inline constexpr auto float_ge  = [](auto a, auto b) { return a >= b; };
inline constexpr auto float_num = [](auto a, auto b) { return a == a && b == b; };

inline constexpr auto integer_eq = [](auto a, auto b) { return a == b; };
inline constexpr auto integer_ne = [](auto a, auto b) { return a != b; };
inline constexpr auto integer_lt = [](auto a, auto b) { return a < b; };
inline constexpr auto integer_le = [](auto a, auto b) { return a <= b; };
inline constexpr auto integer_gt = [](auto a, auto b) { return a > b; };
inline constexpr auto integer_ge = [](auto a, auto b) { return a >= b; };
// clang-format on

// Calls visit(name, comparison, how the result is combined with a third operand).
template <class Visit>
void each_float_comparison(Visit visit) {
  const auto with_opposite = [&](const char* name, const char* opposite_name, auto compare) {
    visit(name, compare, Joins{});
    visit(opposite_name, compare, OppositeJoins{});
  };
  with_opposite("eq", "neu", float_eq);
  with_opposite("ne", "equ", float_ne);
  with_opposite("lt", "geu", float_lt);
  with_opposite("le", "gtu", float_le);
  with_opposite("gt", "leu", float_gt);
  with_opposite("ge", "ltu", float_ge);
  with_opposite("num", "nan", float_num);
}

// Calls visit.operator()<T>(name, name of the type, comparison).
template <class Visit>
void each_integer_comparison(Visit visit) {
  each(types<u16, s16, u32, s32, u64, s64>{}, [&]<class T>(T) {
    using U = Bits<T>;  // equality does not depend on the sign
    visit.template operator()<U>("eq", T::name, integer_eq);
    visit.template operator()<U>("ne", T::name, integer_ne);
    visit.template operator()<T>("lt", T::name, integer_lt);
    visit.template operator()<T>("le", T::name, integer_le);
    visit.template operator()<T>("gt", T::name, integer_gt);
    visit.template operator()<T>("ge", T::name, integer_ge);
    if constexpr (!T::kSigned) {  // the names of unsigned comparisons: lower, same, higher
      visit.template operator()<T>("lo", T::name, integer_lt);
      visit.template operator()<T>("ls", T::name, integer_le);
      visit.template operator()<T>("hi", T::name, integer_gt);
      visit.template operator()<T>("hs", T::name, integer_ge);
    }
  });
  const auto untyped = [&]<class T>(T, const char* name) {
    visit.template operator()<T>("eq", name, integer_eq);
    visit.template operator()<T>("ne", name, integer_ne);
  };
  untyped(b16{}, "b16");
  untyped(b32{}, "b32");
  untyped(b64{}, "b64");
}

}  // namespace ridge::machine::RIDGE_LANES
