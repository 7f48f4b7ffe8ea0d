// Logic, shifts and bit fields.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

template <class Value>
constexpr int kBitsOf = 8 * sizeof(Value);

// Shifts like those of a shifter of unlimited width: PTX clamps the amount, C++ leaves large
// amounts undefined.
template <class Value>
constexpr Value shift_left(Value a, uint32_t by) {
  return by < kBitsOf<Value> ? static_cast<Value>(word(a) << by) : Value(0);
}
template <class Value>
constexpr Value shift_right(Value a, uint32_t by) {
  constexpr bool kSigned = static_cast<Value>(-1) < Value(1);
  if constexpr (kSigned)
    return static_cast<Value>(a >> (by < kBitsOf<Value> ? by : kBitsOf<Value> - 1));
  else
    return by < kBitsOf<Value> ? static_cast<Value>(a >> by) : Value(0);
}
// The lowest `count` bits.
template <class Value>
constexpr Value low_ones(uint32_t count) {
  return static_cast<Value>(~shift_left<Value>(static_cast<Value>(~Value(0)), count));
}

// clang-format off
constexpr auto bit_and = [](auto a, auto b) { return a & b; };
constexpr auto bit_or  = [](auto a, auto b) { return a | b; };
constexpr auto bit_xor = [](auto a, auto b) { return a ^ b; };
constexpr auto bit_not = [](auto a) { return ~a; };
constexpr auto is_zero = [](auto a) { return a == 0 ? 1 : 0; };
constexpr auto shl     = [](auto a, uint32_t by) { return shift_left(a, by); };
constexpr auto shr     = [](auto a, uint32_t by) { return shift_right(a, by); };
// The funnel shift: a 64-bit value b:a, of which one half is the result.
constexpr uint64_t pair(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }
constexpr auto funnel_left_wrap   = [](uint32_t a, uint32_t b, uint32_t c) { return pair(a, b) << (c & 31) >> 32; };
constexpr auto funnel_left_clamp  = [](uint32_t a, uint32_t b, uint32_t c) { return pair(a, b) << (c < 32 ? c : 32) >> 32; };
constexpr auto funnel_right_wrap  = [](uint32_t a, uint32_t b, uint32_t c) { return pair(a, b) >> (c & 31); };
constexpr auto funnel_right_clamp = [](uint32_t a, uint32_t b, uint32_t c) { return pair(a, b) >> (c < 32 ? c : 32); };

constexpr int leading_zeros(uint32_t a) { return a ? __builtin_clz(a) : 32; }
constexpr int leading_zeros(uint64_t a) { return a ? __builtin_clzll(a) : 64; }
constexpr auto popc = [](auto a) { return sizeof a == 8 ? __builtin_popcountll(a) : __builtin_popcount(static_cast<uint32_t>(a)); };
constexpr auto clz  = [](auto a) { return leading_zeros(a); };
// clang-format on

// The highest bit that differs from the sign bit; -1 when there is none.
template <bool kShiftAmount>
constexpr auto bfind = [](auto a) {
  const auto bits = word(a < 0 ? ~a : a);
  const int zeros = leading_zeros(bits);
  return bits == 0 ? -1 : kShiftAmount ? zeros : kBitsOf<decltype(a)> - 1 - zeros;
};

constexpr auto brev = [](auto a) {
  // Swap neighbouring bits, then pairs, nibbles, bytes, ...
  using Value = decltype(a);
  constexpr int kSteps = sizeof(Value) == 8 ? 6 : 5;
  unrolled<kSteps>([&](int step) {
    const int width = 1 << step;
    const auto low_of_each = static_cast<Value>(static_cast<Value>(~Value(0)) / ((Value(1) << width) + 1));
    a = static_cast<Value>((a >> width & low_of_each) | (a & low_of_each) << width);
  });
  return a;
};

// Bit fields: the part beyond the top is cut off. Positions and lengths above 255 are unspecified;
// a GPU uses their low byte for a 32-bit field, which is one instruction, and all bits for a 64-bit
// field.
template <class Value>
constexpr uint32_t field_operand(uint32_t operand) {
  return sizeof(Value) == 8 ? operand : operand & 0xff;
}
constexpr auto bfe = [](auto a, uint32_t position, uint32_t length) {
  using Value = decltype(a);
  position = field_operand<Value>(position);
  length = field_operand<Value>(length);
  const Value field = shift_right(a, position);
  if constexpr (static_cast<Value>(-1) > Value(0)) {
    return static_cast<Value>(field & low_ones<Value>(length));
  } else {
    // Signed: the field's top bit fills the rest, or the value's sign bit where the field extends
    // beyond it.
    const uint32_t above = length < kBitsOf<Value> ? kBitsOf<Value> - length : 0;
    const auto extended = static_cast<Value>(static_cast<Value>(shift_left(word(field), above)) >>
                                             (above & (kBitsOf<Value> - 1)));
    return length == 0 ? Value(0) : extended;
  }
};
constexpr auto bfi = [](auto a, auto b, uint32_t position, uint32_t length) {
  using Value = decltype(a);
  position = field_operand<Value>(position);
  length = field_operand<Value>(length);
  const Value field = shift_left(low_ones<Value>(length), position);
  return static_cast<Value>((b & ~field) | (shift_left(a, position) & field));
};

// A run of `length` ones from `position` up.
constexpr auto bmsk_wrap = [](uint32_t position, uint32_t length) {
  position &= 31;
  return shift_left(low_ones<uint32_t>(length & 31), position);
};
constexpr auto bmsk_clamp = [](uint32_t position, uint32_t length) {
  return shift_left(low_ones<uint32_t>(length), position);
};

// Keeps the lowest `bits` bits and extends them with the highest of those (s32) or with zeros
// (u32).
template <bool kClamp>
constexpr auto szext = [](auto a, uint32_t bits) {
  using Value = decltype(a);
  const bool keeps_all = kClamp && bits >= 32;
  bits &= 31;
  const uint32_t above = keeps_all ? 0 : 32 - bits;
  const auto extended = static_cast<Value>(static_cast<Value>(word(a) << (above & 31)) >> (above & 31));
  return above == 32 ? Value(0) : extended;
};

// The position of the n-th set bit, counted from `base` upwards (offset > 0) or downwards (< 0); -1
// if there is none.
constexpr auto fns = [](uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == INT32_MIN) return 0;  // the result of an H200
  const int step = offset < 0 ? -1 : 1;
  int64_t left = offset == 0 ? 1 : offset < 0 ? -int64_t{offset} : int64_t{offset};
  for (int64_t at = base; at >= 0 && at < 32; at += step) {
    if (mask >> at & 1u) {
      if (--left == 0) return static_cast<int32_t>(at);
    }
    if (offset == 0) break;
  }
  return -1;
};

// prmt: each result byte is one of the eight bytes of b:a. The modes differ in the choice
// kPick(selector, i).
template <auto kPick>
constexpr auto permute = [](uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  unrolled<4>([&](uint32_t i) {
    const uint32_t pick = kPick(selector, i);
    const uint32_t byte = ((pick & 4 ? b : a) >> 8 * (pick & 3)) & 0xff;
    const uint32_t sign = (0u - (byte >> 7)) & 0xff;  // selector bit 3: replicate the sign
    result |= (pick & 8 ? sign : byte) << 8 * i;
  });
  return result;
};
// clang-format off
constexpr auto by_nibble       = [](uint32_t s, uint32_t i) { return s >> 4 * i & 15; };
constexpr auto forward_four    = [](uint32_t s, uint32_t i) { return ((s & 3) + i) & 7; };
constexpr auto backward_four   = [](uint32_t s, uint32_t i) { return ((s & 3) - i) & 7; };
constexpr auto replicate_byte  = [](uint32_t s, uint32_t) { return s & 3; };
constexpr auto edge_clamp_left = [](uint32_t s, uint32_t i) { return i > (s & 3) ? i : s & 3; };
constexpr auto edge_clamp_right = [](uint32_t s, uint32_t i) { return i < (s & 3) ? i : s & 3; };
constexpr auto replicate_half  = [](uint32_t s, uint32_t i) { return 2 * (s & 1) + (i & 1); };
// clang-format on

// Any function of three bits, given by its truth table: bit 4a + 2b + c. Selected by c, then b,
// then a: seven multiplexers, each one instruction with vpternlog.
constexpr auto lop3 = [](uint32_t a, uint32_t b, uint32_t c, uint32_t truth) {
  const auto entry = [truth](int i) { return 0u - (truth >> i & 1u); };
  const auto choose = [](uint32_t by, uint32_t one, uint32_t zero) { return (by & one) | (~by & zero); };
  const uint32_t a0 = choose(b, choose(c, entry(3), entry(2)), choose(c, entry(1), entry(0)));
  const uint32_t a1 = choose(b, choose(c, entry(7), entry(6)), choose(c, entry(5), entry(4)));
  return choose(a, a1, a0);
};

// lop3.or and lop3.and also combine "the result is not 0" with a predicate. That would be a fifth
// operand, but there are four: the decoder stores the predicate's row next to the truth table, see
// decode_rare.cpp.
template <bool kAnd>
void lop3_with_predicate(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t table_and_row = *cells_at<Cell32>(registers, o.d);
  const uint32_t q = mask_at(registers, (table_and_row >> 8) * 64);
  const Source<u32> a(registers, o.a), b(registers, o.b), c(registers, o.c);
  Cell32* const results = cells_at<Cell32>(registers, o.dst);
  Flags flags;
  each_cell<kLanes>([&](int i) {
    const uint32_t result = lop3(a[i], b[i], c[i], table_and_row & 0xff);
    results[i] = result;
    flags.lane[i] = result != 0 ? -1 : 0;
  });
  const uint32_t p = collapse(flags);
  mask_at(registers, o.dst2) = kAnd ? p & q : p | q;
}

}  // namespace

void add_bit_operations(LaneTable& table) {
  each(types<u16, u32, u64>{}, [&]<class T>(T) {
    const char* b = T::kBits == 16 ? "b16" : T::kBits == 32 ? "b32" : "b64";
    row<T(T, T)>(table, {"and.", b}, bit_and);
    row<T(T, T)>(table, {"or.", b}, bit_or);
    row<T(T, T)>(table, {"xor.", b}, bit_xor);
    row<T(T)>(table, {"not.", b}, bit_not);
    row<T(T)>(table, {"cnot.", b}, is_zero);
    row<T(T, u32)>(table, {"shl.", b}, shl);
    row<T(T, u32)>(table, {"shr.", b}, shr);
  });
  each(types<u16, s16, u32, s32, u64, s64>{}, [&]<class T>(T) {
    row<T(T, u32)>(table, {"shr.", T::name}, shr);
  });
  each(types<u32, u64>{}, [&]<class T>(T) {
    const char* b = T::kBits == 32 ? "b32" : "b64";
    row<u32(T)>(table, {"popc.", b}, popc);
    row<u32(T)>(table, {"clz.", b}, clz);
    row<T(T)>(table, {"brev.", b}, brev);
    row<T(T, T, u32, u32)>(table, {"bfi.", b}, bfi);
  });
  each(types<u32, s32, u64, s64>{}, [&]<class T>(T) {
    row<s32(T)>(table, {"bfind.", T::name}, bfind<false>);
    row<s32(T)>(table, {"bfind.shiftamt.", T::name}, bfind<true>);
    row<T(T, u32, u32)>(table, {"bfe.", T::name}, bfe);
  });
  each(types<u32, s32>{}, [&]<class T>(T) {
    row<T(T, u32)>(table, {"szext.clamp.", T::name}, szext<true>);
    row<T(T, u32)>(table, {"szext.wrap.", T::name}, szext<false>);
  });
  row<u32(u32, u32, u32)>(table, {"shf.l.wrap.b32"}, funnel_left_wrap);
  row<u32(u32, u32, u32)>(table, {"shf.l.clamp.b32"}, funnel_left_clamp);
  row<u32(u32, u32, u32)>(table, {"shf.r.wrap.b32"}, funnel_right_wrap);
  row<u32(u32, u32, u32)>(table, {"shf.r.clamp.b32"}, funnel_right_clamp);
  row<u32(u32, u32)>(table, {"bmsk.wrap.b32"}, bmsk_wrap);
  row<u32(u32, u32)>(table, {"bmsk.clamp.b32"}, bmsk_clamp);
  row<s32(u32, u32, s32)>(table, {"fns.b32"}, fns);
  row<u32(u32, u32, u32, uniform)>(table, {"lop3.b32"}, lop3);
  row_of<both<u32, pred>(u32, u32, u32, uniform), lop3_with_predicate<false>>(table, {"lop3.or.b32"});
  row_of<both<u32, pred>(u32, u32, u32, uniform), lop3_with_predicate<true>>(table, {"lop3.and.b32"});
  row<u32(u32, u32, u32)>(table, {"prmt.b32"}, permute<by_nibble>);
  row<u32(u32, u32, u32)>(table, {"prmt.b32.f4e"}, permute<forward_four>);
  row<u32(u32, u32, u32)>(table, {"prmt.b32.b4e"}, permute<backward_four>);
  row<u32(u32, u32, u32)>(table, {"prmt.b32.rc8"}, permute<replicate_byte>);
  row<u32(u32, u32, u32)>(table, {"prmt.b32.ecl"}, permute<edge_clamp_left>);
  row<u32(u32, u32, u32)>(table, {"prmt.b32.ecr"}, permute<edge_clamp_right>);
  row<u32(u32, u32, u32)>(table, {"prmt.b32.rc16"}, permute<replicate_half>);
}

}  // namespace ridge::machine::RIDGE_LANES
