// setp and set of integers.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/compare.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// clang-format off
constexpr auto eq = [](auto a, auto b) { return a == b; };
constexpr auto ne = [](auto a, auto b) { return a != b; };
constexpr auto lt = [](auto a, auto b) { return a < b; };
constexpr auto le = [](auto a, auto b) { return a <= b; };
constexpr auto gt = [](auto a, auto b) { return a > b; };
constexpr auto ge = [](auto a, auto b) { return a >= b; };
// clang-format on

}  // namespace

void fill_by_mask(Cell32* cells, uint32_t mask, uint32_t value) {
  each_cell<kLanes>([=](int i) { cells[i] = mask >> i & 1u ? value : 0; });
}
void fill_by_masks(Cell32* cells, uint32_t low, uint32_t high, uint32_t value) {
  each_cell<kLanes>(
      [=](int i) { cells[i] = (low >> i & 1u ? value : 0) | (high >> i & 1u ? value << 16 : 0); });
}

void add_integer_comparisons(LaneTable& table) {
  each(types<u16, s16, u32, s32, u64, s64>{}, [&]<class T>(T) {
    using U = Bits<T>;  // equality does not care about the sign
    add_comparison<U>(table, "eq", T::name, eq);
    add_comparison<U>(table, "ne", T::name, ne);
    add_comparison<T>(table, "lt", T::name, lt);
    add_comparison<T>(table, "le", T::name, le);
    add_comparison<T>(table, "gt", T::name, gt);
    add_comparison<T>(table, "ge", T::name, ge);
    if constexpr (!T::kSigned) {  // the unsigned comparisons' own names: lower, same, higher
      add_comparison<T>(table, "lo", T::name, lt);
      add_comparison<T>(table, "ls", T::name, le);
      add_comparison<T>(table, "hi", T::name, gt);
      add_comparison<T>(table, "hs", T::name, ge);
    }
  });
  add_comparison<b16>(table, "eq", "b16", eq);
  add_comparison<b16>(table, "ne", "b16", ne);
  add_comparison<b32>(table, "eq", "b32", eq);
  add_comparison<b32>(table, "ne", "b32", ne);
  add_comparison<b64>(table, "eq", "b64", eq);
  add_comparison<b64>(table, "ne", "b64", ne);
}

}  // namespace ridge::machine::RIDGE_LANES
