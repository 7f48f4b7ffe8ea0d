// set: a comparison whose result is a number, all ones or 1.0 for true. nvcc generates it for
// comparisons of halves (__hlt2 and related functions); every other comparison becomes setp.
#include "virtual_gpu/machine/lanes/operations/comparisons.h"
#include "virtual_gpu/machine/lanes/rare/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

constexpr uint32_t kOnes = 0xffffffffu, kOneF32 = 0x3f800000u, kOneF16 = 0x3c00, kOneBf16 = 0x3f80;

// In the lanes of `mask`: stores `value` where `is_true` has a bit, otherwise 0.
void store(Cell32* cells, uint32_t mask, uint32_t is_true, uint32_t value) {
  each_cell<kLanes>([=](int i) {
    if (mask >> i & 1u) cells[i] = is_true >> i & 1u ? value : 0;
  });
}
void store_packed(Cell32* cells, uint32_t mask, uint32_t low, uint32_t high, uint32_t value) {
  each_cell<kLanes>([=](int i) {
    if (mask >> i & 1u) cells[i] = (low >> i & 1u ? value : 0) | (high >> i & 1u ? value << 16 : 0);
  });
}

// set: kTrue is the value of true in the destination's type: all ones, or 1.0. There are two
// thousand of these, so one function serves for all lanes and for some.
template <class T, class Compare, class Join, uint32_t kTrue>
void set(std::byte* registers, const LaneOperands& o, uint32_t mask) {
  const uint32_t c = third<Join>(registers, o);
  const uint32_t t = compare_shared<T, Compare, Part::all>(registers, o);
  store(cells_at<Cell32>(registers, o.dst), mask, Join::join(t, c), kTrue);
}
template <class T, class Compare, class Join, uint32_t kTrue>
void set_packed(std::byte* registers, const LaneOperands& o, uint32_t mask) {
  const uint32_t c = third<Join>(registers, o);
  const uint32_t low = compare_shared<T, Compare, Part::low>(registers, o);
  const uint32_t high = compare_shared<T, Compare, Part::high>(registers, o);
  store_packed(cells_at<Cell32>(registers, o.dst), mask, Join::join(low, c), Join::join(high, c),
               kTrue);
}

template <class T, class Join>
void set_row(LaneTable& table, std::initializer_list<const char*> opcode, LaneFunction set) {
  constexpr RowType kThird = Join::kHasC ? RowType::pred : RowType::none;
  table.add(opcode, set, set, {u32::kRow, RowType::none, T::kRow, T::kRow, kThird});
}

// set.lt.u32.s32, set.lt.f32.s32, ...
template <class T, class Compare, class JoinList = Joins>
void add_set(LaneTable& table, const char* compare_name, const char* type_name, Compare,
             JoinList joins = {}) {
  each(joins, [&]<class Join>(Join) {
    const auto add = [&]<uint32_t kTrue>(std::initializer_list<const char*> results) {
      for (const char* result : results)
        set_row<T, Join>(table,
                         {"set.", compare_name, Join::name, T::ftz, ".", result, ".", type_name},
                         set<T, Compare, Join, kTrue>);
    };
    add.template operator()<kOnes>({"u32", "s32"});
    add.template operator()<kOneF32>({"f32"});
    add.template operator()<kOneF16>({"f16"});
    add.template operator()<kOneBf16>({"bf16"});
  });
}

// For halves: a result of the same type, or 16 or 32 ones.
template <class T, uint32_t kOne, class Compare, class JoinList>
void add_half_set(LaneTable& table, const char* compare_name, Compare, JoinList joins) {
  each(joins, [&]<class Join>(Join) {
    const auto add = [&]<uint32_t kTrue>(std::initializer_list<const char*> results) {
      for (const char* result : results)
        set_row<T, Join>(table,
                         {"set.", compare_name, Join::name, T::ftz, ".", result, ".", T::name},
                         set<T, Compare, Join, kTrue>);
    };
    add.template operator()<kOne>({T::name});
    add.template operator()<0xffffu>({"u16", "s16"});
    add.template operator()<kOnes>({"u32", "s32"});
  });
}

template <class T, uint32_t kOne, class Compare, class JoinList>
void add_packed_set(LaneTable& table, const char* compare_name, Compare, JoinList joins) {
  each(joins, [&]<class Join>(Join) {
    set_row<T, Join>(table, {"set.", compare_name, Join::name, T::ftz, ".", T::name, ".", T::name},
                     set_packed<T, Compare, Join, kOne>);
    for (const char* result : {"u32", "s32"})
      set_row<T, Join>(table, {"set.", compare_name, Join::name, T::ftz, ".", result, ".", T::name},
                       set_packed<T, Compare, Join, 0xffffu>);
  });
}

}  // namespace

void add_set_operations(LaneTable& table) {
  each_integer_comparison([&]<class T>(const char* name, const char* type_name, auto compare) {
    add_set<T>(table, name, type_name, compare);
  });
  each_float_comparison([&](const char* name, auto compare, auto joins) {
    each(types<f32, f32_ftz, f64>{},
         [&]<class T>(T) { add_set<T>(table, name, T::name, compare, joins); });
    add_half_set<f16, kOneF16>(table, name, compare, joins);
    add_half_set<f16_ftz, kOneF16>(table, name, compare, joins);
    add_half_set<bf16, kOneBf16>(table, name, compare, joins);
    add_packed_set<f16x2, kOneF16>(table, name, compare, joins);
    add_packed_set<f16x2_ftz, kOneF16>(table, name, compare, joins);
    add_packed_set<bf16x2, kOneBf16>(table, name, compare, joins);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
