// Integer arithmetic. Results wrap around; nothing traps.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// clang-format off
constexpr auto add     = [](auto a, auto b) { return word(a) + word(b); };
constexpr auto sub     = [](auto a, auto b) { return word(a) - word(b); };
constexpr auto mul_lo  = [](auto a, auto b) { return word(a) * word(b); };
constexpr auto mul_hi  = [](auto a, auto b) { return high_product(a, b); };
constexpr auto widened = [](auto a, auto b) { return wide(a) * wide(b); };
constexpr auto mad_lo  = [](auto a, auto b, auto c) { return word(a) * word(b) + word(c); };
constexpr auto mad_hi  = [](auto a, auto b, auto c) { return word(high_product(a, b)) + word(c); };
constexpr auto mad_wide = [](auto a, auto b, auto c) { return word(wide(a) * wide(b)) + word(c); };
constexpr auto mul24_lo = [](auto a, auto b) { return low24(a) * low24(b); };
constexpr auto mul24_hi = [](auto a, auto b) { return low24(a) * low24(b) >> 16; };
constexpr auto mad24_lo = [](auto a, auto b, auto c) { return low24(a) * low24(b) + c; };
constexpr auto mad24_hi = [](auto a, auto b, auto c) { return (low24(a) * low24(b) >> 16) + c; };
constexpr auto sad     = [](auto a, auto b, auto c) { return word(c) + (a < b ? word(b) - word(a) : word(a) - word(b)); };
constexpr auto div     = [](auto a, auto b) { return divide(a, b).quotient; };
constexpr auto rem     = [](auto a, auto b) { return divide(a, b).remainder; };
constexpr auto abs     = [](auto a) { return a < 0 ? 0 - word(a) : word(a); };
constexpr auto neg     = [](auto a) { return 0 - word(a); };
constexpr auto min     = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto max     = [](auto a, auto b) { return a > b ? a : b; };
constexpr auto add_sat = [](int32_t a, int32_t b) { return clamp_s32(int64_t{a} + b); };
constexpr auto sub_sat = [](int32_t a, int32_t b) { return clamp_s32(int64_t{a} - b); };
constexpr auto mad_hi_sat   = [](int32_t a, int32_t b, int32_t c) { return clamp_s32((int64_t{a} * b >> 32) + c); };
constexpr auto mad24_hi_sat = [](int32_t a, int32_t b, int32_t c) { return clamp_s32((low24(a) * low24(b) >> 16) + c); };
// clang-format on

// dp4a and dp2a: four (two) products of small numbers, added to c. A is the type of a's elements, B
// of b's.
template <class A, class B>
constexpr auto dp4a = [](uint32_t a, uint32_t b, uint32_t c) {
  unrolled<4>([&](int i) {
    c += static_cast<uint32_t>(int32_t{A::load(a >> 8 * i)} * int32_t{B::load(b >> 8 * i)});
  });
  return c;
};
template <class A, class B, int kFirstByte>
constexpr auto dp2a = [](uint32_t a, uint32_t b, uint32_t c) {
  unrolled<2>([&](int i) {
    c += static_cast<uint32_t>(int32_t{A::load(a >> 16 * i)} * int32_t{B::load(b >> 8 * (i + kFirstByte))});
  });
  return c;
};

void add_dot_products(LaneTable& table) {
  each(types<u8, s8>{}, [&]<class A>(A) {
    each(types<u8, s8>{}, [&]<class B>(B) {
      const char* a_name = A::kSigned ? "s32." : "u32.";
      const char* b_name = B::kSigned ? "s32" : "u32";
      using A16 = Resize<A, 16>;
      row<u32(u32, u32, u32)>(table, {"dp4a.", a_name, b_name}, dp4a<A, B>);
      row<u32(u32, u32, u32)>(table, {"dp2a.lo.", a_name, b_name}, dp2a<A16, B, 0>);
      row<u32(u32, u32, u32)>(table, {"dp2a.hi.", a_name, b_name}, dp2a<A16, B, 2>);
    });
  });
}

}  // namespace

void add_integer_arithmetic(LaneTable& table) {
  // Where the low half of the result does not depend on the sign, s32 uses the same code as u32:
  // Bits<s32> is u32.
  each(types<u16, s16, u32, s32, u64, s64>{}, [&]<class T>(T) {
    using U = Bits<T>;
    row<U(U, U)>(table, {"add.", T::name}, add);
    row<U(U, U)>(table, {"sub.", T::name}, sub);
    row<U(U, U)>(table, {"mul.lo.", T::name}, mul_lo);
    row<T(T, T)>(table, {"mul.hi.", T::name}, mul_hi);
    row<U(U, U, U)>(table, {"mad.lo.", T::name}, mad_lo);
    row<T(T, T, T)>(table, {"mad.hi.", T::name}, mad_hi);
    row<T(T, T)>(table, {"div.", T::name}, div);
    row<T(T, T)>(table, {"rem.", T::name}, rem);
    row<T(T, T, T)>(table, {"sad.", T::name}, sad);
    row<T(T, T)>(table, {"min.", T::name}, min);
    row<T(T, T)>(table, {"max.", T::name}, max);
  });
  each(types<u16, s16, u32, s32>{}, [&]<class T>(T) {
    using Wide = Resize<T, 2 * T::kBits>;
    row<Wide(T, T)>(table, {"mul.wide.", T::name}, widened);
    row<Wide(T, T, Wide)>(table, {"mad.wide.", T::name}, mad_wide);
  });
  each(types<s16, s32, s64>{}, [&]<class T>(T) {
    row<T(T)>(table, {"abs.", T::name}, abs);
    row<T(T)>(table, {"neg.", T::name}, neg);
  });
  each(types<u32, s32>{}, [&]<class T>(T) {
    row<T(T, T)>(table, {"mul24.lo.", T::name}, mul24_lo);
    row<T(T, T)>(table, {"mul24.hi.", T::name}, mul24_hi);
    row<T(T, T, T)>(table, {"mad24.lo.", T::name}, mad24_lo);
    row<T(T, T, T)>(table, {"mad24.hi.", T::name}, mad24_hi);
  });
  each(types<u16x2, s16x2>{}, [&]<class T>(T) {
    row<u16x2(u16x2, u16x2)>(table, {"add.", T::name}, add);
    row<T(T, T)>(table, {"min.", T::name}, min);
    row<T(T, T)>(table, {"max.", T::name}, max);
  });
  each(types<s32, s16x2>{}, [&]<class T>(T) {
    row<relu<T>(T, T)>(table, {"min.relu.", T::name}, min);
    row<relu<T>(T, T)>(table, {"max.relu.", T::name}, max);
    row<relu<T>(T, T)>(table, {"min.", T::name, ".relu"}, min);  // the order that nvcc emits
    row<relu<T>(T, T)>(table, {"max.", T::name, ".relu"}, max);
  });
  row<s32(s32, s32)>(table, {"add.sat.s32"}, add_sat);
  row<s32(s32, s32)>(table, {"sub.sat.s32"}, sub_sat);
  row<s32(s32, s32, s32)>(table, {"mad.hi.sat.s32"}, mad_hi_sat);
  row<s32(s32, s32, s32)>(table, {"mad24.hi.sat.s32"}, mad24_hi_sat);
  add_dot_products(table);
}

}  // namespace ridge::machine::RIDGE_LANES
