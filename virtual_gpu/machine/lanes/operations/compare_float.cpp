// setp and set of floats. A comparison with NaN is false, but for ne and those whose name ends in u
// (unordered).
#include "virtual_gpu/machine/lanes/operations/compare.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// clang-format off
constexpr auto eq  = [](auto a, auto b) { return a == b; };
constexpr auto ne  = [](auto a, auto b) { return a < b || a > b; };
constexpr auto lt  = [](auto a, auto b) { return a < b; };
constexpr auto le  = [](auto a, auto b) { return a <= b; };
constexpr auto gt  = [](auto a, auto b) { return a > b; };
constexpr auto ge  = [](auto a, auto b) { return a >= b; };
constexpr auto num = [](auto a, auto b) { return a == a && b == b; };
// clang-format on

template <class Visit>
void each_comparison(Visit visit) {
  const auto with_opposite = [&](const char* name, const char* opposite_name, auto compare) {
    visit(name, compare, Joins{});
    visit(opposite_name, compare, OppositeJoins{});
  };
  with_opposite("eq", "neu", eq);
  with_opposite("ne", "equ", ne);
  with_opposite("lt", "geu", lt);
  with_opposite("le", "gtu", le);
  with_opposite("gt", "leu", gt);
  with_opposite("ge", "ltu", ge);
  with_opposite("num", "nan", num);
}

// setp.lt.f16, and set with a result of the same type, or of 16 or 32 ones.
template <class T, uint32_t kOne, class Compare, class JoinList>
void add_half_comparison(LaneTable& table, const char* compare_name, Compare, JoinList joins) {
  each(joins, [&]<class Join>(Join) {
    setp_row<T, Join, setp<T, Compare, Join>>(table,
                                              {"setp.", compare_name, Join::name, T::ftz, ".", T::name});
    const auto add_set = [&]<LaneFunction kFull>(std::initializer_list<const char*> results) {
      for (const char* result : results)
        set_row<T, Join, kFull>(table, {"set.", compare_name, Join::name, T::ftz, ".", result, ".", T::name});
    };
    add_set.template operator()<set<T, Compare, Join, kOne>>({T::name});
    add_set.template operator()<set<T, Compare, Join, 0xffffu>>({"u16", "s16"});
    add_set.template operator()<set<T, Compare, Join, kOnes>>({"u32", "s32"});
  });
}

template <class T, uint32_t kOne, class Compare, class JoinList>
void add_packed_comparison(LaneTable& table, const char* compare_name, Compare, JoinList joins) {
  each(joins, [&]<class Join>(Join) {
    setp_row<T, Join, setp_packed<T, Compare, Join>>(
        table, {"setp.", compare_name, Join::name, T::ftz, ".", T::name});
    set_row<T, Join, set_packed<T, Compare, Join, kOne>>(
        table, {"set.", compare_name, Join::name, T::ftz, ".", T::name, ".", T::name});
    for (const char* result : {"u32", "s32"})
      set_row<T, Join, set_packed<T, Compare, Join, 0xffffu>>(
          table, {"set.", compare_name, Join::name, T::ftz, ".", result, ".", T::name});
  });
}

}  // namespace

void add_float_comparisons(LaneTable& table) {
  each_comparison([&](const char* name, auto compare, auto joins) {
    each(types<f32, f32_ftz, f64>{},
         [&]<class T>(T) { add_comparison<T>(table, name, T::name, compare, joins); });
    add_half_comparison<f16, kOneF16>(table, name, compare, joins);
    add_half_comparison<f16_ftz, kOneF16>(table, name, compare, joins);
    add_half_comparison<bf16, kOneBf16>(table, name, compare, joins);
    add_packed_comparison<f16x2, kOneF16>(table, name, compare, joins);
    add_packed_comparison<f16x2_ftz, kOneF16>(table, name, compare, joins);
    add_packed_comparison<bf16x2, kOneBf16>(table, name, compare, joins);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
