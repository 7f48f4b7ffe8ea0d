// Extended precision: additions and subtractions that write their carry to the condition code, and
// those that add it. A chain add.cc, addc.cc, addc adds numbers of any length. A subtraction adds
// the complement and 1, so its carry means that there was *no* borrow. The manual speaks of a
// borrow, which makes no difference in a chain of subtractions; but nvcc's 128-bit division follows
// subc.cc by addc and relies on the carry.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

template <class Value>
constexpr Both<Value, bool> add_with(Value a, Value b, bool carry_in) {
  const Value sum = a + b + static_cast<Value>(carry_in);
  return {sum, sum < a || (carry_in && sum == a)};
}
template <class Value>
constexpr Both<Value, bool> sub_with(Value a, Value b, bool carry_in) {
  return {a - b - static_cast<Value>(!carry_in), a > b || (carry_in && a == b)};
}
template <class T, bool kHigh>
constexpr auto product(typename T::Value a, typename T::Value b) {
  return kHigh ? word(high_product(a, b)) : word(a) * word(b);
}

// clang-format off
constexpr auto add_out    = [](auto a, auto b) { return add_with(a, b, false); };
constexpr auto add_in     = [](auto a, auto b, bool carry_in) { return add_with(a, b, carry_in).first; };
constexpr auto add_in_out = [](auto a, auto b, bool carry_in) { return add_with(a, b, carry_in); };
constexpr auto sub_out    = [](auto a, auto b) { return sub_with(a, b, true); };
constexpr auto sub_in     = [](auto a, auto b, bool carry_in) { return sub_with(a, b, carry_in).first; };
constexpr auto sub_in_out = [](auto a, auto b, bool carry_in) { return sub_with(a, b, carry_in); };
template <class T, bool kHigh>
constexpr auto mad_out    = [](auto a, auto b, auto c) { return add_with(product<T, kHigh>(a, b), c, false); };
template <class T, bool kHigh>
constexpr auto mad_in     = [](auto a, auto b, auto c, bool carry_in) { return add_with(product<T, kHigh>(a, b), c, carry_in).first; };
template <class T, bool kHigh>
constexpr auto mad_in_out = [](auto a, auto b, auto c, bool carry_in) { return add_with(product<T, kHigh>(a, b), c, carry_in); };
// clang-format on

template <class T, bool kHigh>
void add_multiply(LaneTable& table) {
  using U = Bits<T>;
  const char* half = kHigh ? "hi" : "lo";
  row<both<U, carry>(T, T, U)>(table, {"mad.", half, ".cc.", T::name}, mad_out<T, kHigh>);
  row<U(T, T, U, carry)>(table, {"madc.", half, ".", T::name}, mad_in<T, kHigh>);
  row<both<U, carry>(T, T, U, carry)>(table, {"madc.", half, ".cc.", T::name}, mad_in_out<T, kHigh>);
}

}  // namespace

void add_carry_chains(LaneTable& table) {
  each(types<u32, s32, u64, s64>{}, [&]<class T>(T) {
    using U = Bits<T>;
    row<both<U, carry>(U, U)>(table, {"add.cc.", T::name}, add_out);
    row<U(U, U, carry)>(table, {"addc.", T::name}, add_in);
    row<both<U, carry>(U, U, carry)>(table, {"addc.cc.", T::name}, add_in_out);
    row<both<U, carry>(U, U)>(table, {"sub.cc.", T::name}, sub_out);
    row<U(U, U, carry)>(table, {"subc.", T::name}, sub_in);
    row<both<U, carry>(U, U, carry)>(table, {"subc.cc.", T::name}, sub_in_out);
    add_multiply<T, false>(table);
    add_multiply<T, true>(table);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
