// setp and set, for any type and comparison. Both begin with the same loop, which leaves one bit a lane; what
// follows (the second predicate, and/or/xor with a third, numbers instead of bits) is done on the 32 bits at
// once.
#pragma once

#include "virtual_gpu/machine/lanes/operations/fill.h"
#include "virtual_gpu/machine/lanes/operations/loop.h"

namespace ridge::machine::RIDGE_LANES {

// Which of a row's values are compared: all, or, of a packed row, the low or the high halves.
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

// How the result meets the third operand, a predicate.
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
// !(a < b) is geu and needs no comparison of its own: one loop serves lt and geu.
template <class Join>
struct Opposite : Join {
  static uint32_t join(uint32_t t, uint32_t c) { return Join::join(~t, c); }
};
using OppositeJoins = types<Opposite<Alone>, Opposite<AndC>, Opposite<OrC>, Opposite<XorC>>;

template <class Join>
uint32_t third(std::byte* registers, const LaneOperands& o) {
  return Join::kHasC ? mask_at(registers, o.c) : 0;
}

// setp p|q: q gets the opposite comparison, met with the same third operand. dst2 = 0 says that there is no
// q.
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
// Of packed types p is the low halves' result and q the high halves'.
template <class T, class Compare, class Join>
void setp_packed(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t c = third<Join>(registers, o);
  const uint32_t low = compare_shared<T, Compare, Part::low>(registers, o);
  const uint32_t high = compare_shared<T, Compare, Part::high>(registers, o);
  mask_at(registers, o.dst) = Join::join(low, c);
  if (o.dst2 != 0) mask_at(registers, o.dst2) = Join::join(high, c);
}

// Where `mask` has a bit, `value`; elsewhere `otherwise`.
void fill_by_mask(Cell32* cells, uint32_t mask, uint32_t value);
void fill_by_masks(Cell32* cells, uint32_t low, uint32_t high, uint32_t value);

// set: kTrue is what the destination's type calls true: all ones, or 1.0.
template <class T, class Compare, class Join, uint32_t kTrue>
void set(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t c = third<Join>(registers, o);
  const uint32_t t = compare_shared<T, Compare, Part::all>(registers, o);
  fill_by_mask(cells_at<Cell32>(registers, o.dst), Join::join(t, c), kTrue);
}
template <class T, class Compare, class Join, uint32_t kTrue>
void set_packed(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t c = third<Join>(registers, o);
  const uint32_t low = compare_shared<T, Compare, Part::low>(registers, o);
  const uint32_t high = compare_shared<T, Compare, Part::high>(registers, o);
  fill_by_masks(cells_at<Cell32>(registers, o.dst), Join::join(low, c), Join::join(high, c), kTrue);
}

template <class T, class Join, LaneFunction kFull>
void setp_row(LaneTable& table, std::initializer_list<const char*> opcode) {
  if constexpr (Join::kHasC)
    row_of<both<pred, pred>(T, T, pred), kFull>(table, opcode);
  else
    row_of<both<pred, pred>(T, T), kFull>(table, opcode);
}
template <class T, class Join, LaneFunction kFull>
void set_row(LaneTable& table, std::initializer_list<const char*> opcode) {
  if constexpr (Join::kHasC)
    row_of<u32(T, T, pred), kFull>(table, opcode);
  else
    row_of<u32(T, T), kFull>(table, opcode);
}

inline constexpr uint32_t kOnes = 0xffffffffu, kOneF32 = 0x3f800000u, kOneF16 = 0x3c00, kOneBf16 = 0x3f80;

// setp.lt.s32, setp.lt.and.s32, ... and set.lt.u32.s32, set.lt.f32.s32, ...
template <class T, class Compare, class JoinList = Joins>
void add_comparison(LaneTable& table, const char* compare_name, const char* type_name, Compare,
                    JoinList joins = {}) {
  each(joins, [&]<class Join>(Join) {
    setp_row<T, Join, setp<T, Compare, Join>>(table,
                                              {"setp.", compare_name, Join::name, T::ftz, ".", type_name});
    for (const char* result : {"u32", "s32"})
      set_row<T, Join, set<T, Compare, Join, kOnes>>(
          table, {"set.", compare_name, Join::name, T::ftz, ".", result, ".", type_name});
    set_row<T, Join, set<T, Compare, Join, kOneF32>>(
        table, {"set.", compare_name, Join::name, T::ftz, ".f32.", type_name});
    set_row<T, Join, set<T, Compare, Join, kOneF16>>(
        table, {"set.", compare_name, Join::name, T::ftz, ".f16.", type_name});
    set_row<T, Join, set<T, Compare, Join, kOneBf16>>(
        table, {"set.", compare_name, Join::name, T::ftz, ".bf16.", type_name});
  });
}

}  // namespace ridge::machine::RIDGE_LANES
