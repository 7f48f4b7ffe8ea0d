// setp, for any type and comparison; set (rare/set.cpp) uses the same loop, which produces one bit
// per lane. The remaining steps (the second predicate, and/or/xor with a third, numbers instead of
// bits) operate on the 32 bits at once.
#pragma once

#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {

// The compared values of a row: all, or the low or the high halves of a packed row.
enum class Part { all, low, high };

template <class T, class Compare, Part kPart>
[[gnu::always_inline]] inline uint32_t compare(std::byte* registers, const LaneOperands& o) {
  const Source<T> a(registers, o.a), b(registers, o.b);
  constexpr int kStep = kPart == Part::all ? 1 : 2;
  constexpr int kFirst = kPart == Part::high ? 1 : 0;
  Flags flags;
  each_cell<kLanes>(
      [&](int i) { flags.lane[i] = Compare{}(a[kStep * i + kFirst], b[kStep * i + kFirst]) ? -1 : 0; });
  return collapse(flags);
}
template <class T, class Compare, Part kPart>
[[gnu::noinline]] uint32_t compare_shared(std::byte* registers, const LaneOperands& o) {
  return compare<T, Compare, kPart>(registers, o);
}

// How the result is combined with the third operand, a predicate.
// clang-format off
struct Alone  { static constexpr const char* name = "";     static constexpr bool kHasC = false;
                static uint32_t join(uint32_t t, uint32_t)   { return t; } };
struct AndC   { static constexpr const char* name = ".and"; static constexpr bool kHasC = true;
                static uint32_t join(uint32_t t, uint32_t c) { return t & c; } };
struct OrC    { static constexpr const char* name = ".or";  static constexpr bool kHasC = true;
                static uint32_t join(uint32_t t, uint32_t c) { return t | c; } };
struct XorC   { static constexpr const char* name = ".xor"; static constexpr bool kHasC = true;
                static uint32_t join(uint32_t t, uint32_t c) { return t ^ c; } };
// clang-format on
using Joins = types<Alone, AndC, OrC, XorC>;
// !(a < b) is geu and needs no comparison of its own: lt and geu share one loop.
template <class Join>
struct Opposite : Join {
  static uint32_t join(uint32_t t, uint32_t c) { return Join::join(~t, c); }
};
using OppositeJoins = types<Opposite<Alone>, Opposite<AndC>, Opposite<OrC>, Opposite<XorC>>;

template <class Join>
uint32_t third(std::byte* registers, const LaneOperands& o) {
  return Join::kHasC ? mask_at(registers, o.c) : 0;
}

// setp p|q: q is the opposite comparison, combined with the same third operand. dst2 = 0: there is
// no q.
template <class T, class Compare, class Join>
void setp(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t c = third<Join>(registers, o);
  uint32_t t;
  if constexpr (Join::kHasC || kIsSmallFloat<T>)
    t = compare_shared<T, Compare, Part::all>(registers, o);
  else
    t = compare<T, Compare, Part::all>(registers, o);
  mask_at(registers, o.dst) = Join::join(t, c);
  if (o.dst2 != 0) mask_at(registers, o.dst2) = Join::join(~t, c);
}
// For packed types p is the result of the low halves and q that of the high halves.
template <class T, class Compare, class Join>
void setp_packed(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t c = third<Join>(registers, o);
  const uint32_t low = compare_shared<T, Compare, Part::low>(registers, o);
  const uint32_t high = compare_shared<T, Compare, Part::high>(registers, o);
  mask_at(registers, o.dst) = Join::join(low, c);
  if (o.dst2 != 0) mask_at(registers, o.dst2) = Join::join(high, c);
}

template <class T, class Join, LaneFunction kFull>
void setp_row(LaneTable& table, std::initializer_list<const char*> opcode) {
  if constexpr (Join::kHasC)
    row_of<both<pred, pred>(T, T, pred), kFull>(table, opcode);
  else
    row_of<both<pred, pred>(T, T), kFull>(table, opcode);
}
// setp.lt.s32, setp.lt.and.s32, ...
template <class T, class Compare, class JoinList = Joins>
void add_setp(LaneTable& table, const char* compare_name, const char* type_name, Compare,
              JoinList joins = {}) {
  each(joins, [&]<class Join>(Join) {
    setp_row<T, Join, setp<T, Compare, Join>>(table,
                                              {"setp.", compare_name, Join::name, T::ftz, ".", type_name});
  });
}

}  // namespace ridge::machine::RIDGE_LANES
