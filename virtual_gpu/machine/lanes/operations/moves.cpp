// Moves, selections, predicate logic, and the packing by `mov` between a register and a vector of
// smaller ones.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/operations/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// clang-format off
constexpr auto copy = [](auto a) { return a; };
constexpr auto selp = [](auto a, auto b, bool p) { return either(p, a, b); };
// -0 counts as 0; NaN selects b.
constexpr auto slct = [](auto a, auto b, auto c) { return either(c >= 0, a, b); };

constexpr auto pred_copy = [](uint32_t a, uint32_t) { return a; };
constexpr auto pred_not  = [](uint32_t a, uint32_t) { return ~a; };
constexpr auto pred_and  = [](uint32_t a, uint32_t b) { return a & b; };
constexpr auto pred_or   = [](uint32_t a, uint32_t b) { return a | b; };
constexpr auto pred_xor  = [](uint32_t a, uint32_t b) { return a ^ b; };
// clang-format on

// Predicates are masks: one word instead of 32 lanes.
template <auto kFunction, int kOperands>
void pred_full(std::byte* registers, const LaneOperands& o, uint32_t) {
  const uint32_t b = kOperands > 1 ? mask_at(registers, o.b) : 0;
  mask_at(registers, o.dst) = kFunction(mask_at(registers, o.a), b);
}

// Element k of a register, and a register from its elements, the first in the lowest bits.
template <class Small, int kElement>
constexpr auto element =
    [](auto a) { return Small::load(static_cast<typename Small::Cell>(a >> Small::kBits * kElement)); };
template <class Large>
constexpr auto join = [](auto... small) {
  typename Large::Value result = 0;
  int at = 0;
  ((result = static_cast<typename Large::Value>(result | static_cast<typename Large::Value>(small) << at),
    at += 8 * static_cast<int>(sizeof small)),
   ...);
  return result;
};
template <class Small>
constexpr auto halves = [](auto a) {
  using Value = typename Small::Value;
  return Both<Value, Value>{element<Small, 0>(a), element<Small, 1>(a)};
};

// clang-format off
constexpr auto join_128      = [](uint64_t a, uint64_t b) { return Cell128{a, b}; };
constexpr auto join_four_128 = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return Cell128{uint64_t{b} << 32 | a, uint64_t{d} << 32 | c};
};
constexpr auto halves_128    = [](Cell128 a) { return Both<uint64_t, uint64_t>{a.low, a.high}; };
template <int kElement>
constexpr auto half_of_128   = [](Cell128 a) { return kElement ? a.high : a.low; };
template <int kElement>
constexpr auto quarter_of_128 = [](Cell128 a) { return (kElement & 2 ? a.high : a.low) >> 32 * (kElement & 1); };
// clang-format on

template <class Small, class Large, int... kElement>
void add_elements(LaneTable& table, const char* from, std::integer_sequence<int, kElement...>) {
  constexpr const char* kDigits[] = {".0", ".1", ".2", ".3"};
  (row<Small(Large)>(table, {"unpack.", from, kDigits[kElement]}, element<Small, kElement>), ...);
}
template <class Small, class Large>
void add_pair(LaneTable& table, const char* joined, const char* split) {
  row<Large(Small, Small)>(table, {"pack.", joined}, join<Large>);
  row<both<Small, Small>(Large)>(table, {"unpack.", split}, halves<Small>);
  add_elements<Small, Large>(table, split, std::make_integer_sequence<int, 2>{});
}
template <class Small, class Large>
void add_byte_vector(LaneTable& table, const char* joined, const char* split) {
  row<Large(Small, Small, Small, Small)>(table, {"pack.", joined}, join<Large>);
  add_elements<Small, Large>(table, split, std::make_integer_sequence<int, 4>{});
}

void add_packing(LaneTable& table) {
  add_pair<b8, b16>(table, "b16.b8x2", "b8x2.b16");
  add_pair<b16, b32>(table, "b32.b16x2", "b16x2.b32");
  add_pair<b32, b64>(table, "b64.b32x2", "b32x2.b64");
  add_byte_vector<b8, b32>(table, "b32.b8x4", "b8x4.b32");
  add_byte_vector<b16, b64>(table, "b64.b16x4", "b16x4.b64");
  row<b128(b64, b64)>(table, {"pack.b128.b64x2"}, join_128);
  row<both<b64, b64>(b128)>(table, {"unpack.b64x2.b128"}, halves_128);
  row<b64(b128)>(table, {"unpack.b64x2.b128.0"}, half_of_128<0>);
  row<b64(b128)>(table, {"unpack.b64x2.b128.1"}, half_of_128<1>);
  row<b128(b32, b32, b32, b32)>(table, {"pack.b128.b32x4"}, join_four_128);
  row<b32(b128)>(table, {"unpack.b32x4.b128.0"}, quarter_of_128<0>);
  row<b32(b128)>(table, {"unpack.b32x4.b128.1"}, quarter_of_128<1>);
  row<b32(b128)>(table, {"unpack.b32x4.b128.2"}, quarter_of_128<2>);
  row<b32(b128)>(table, {"unpack.b32x4.b128.3"}, quarter_of_128<3>);
}

template <class T>
void add_moves_of(LaneTable& table, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    row<T(T)>(table, {"mov.", name}, copy);
    row<T(T, T, pred)>(table, {"selp.", name}, selp);
    row<T(T, T, s32)>(table, {"slct.", name, ".s32"}, slct);
    row<T(T, T, f32)>(table, {"slct.", name, ".f32"}, slct);
    row<T(T, T, f32_ftz)>(table, {"slct.ftz.", name, ".f32"}, slct);
  }
}

}  // namespace

void add_moves(LaneTable& table) {
  // Only bits are moved, so all types of one size share a function.
  add_moves_of<b16>(table, {"b16", "u16", "s16"});
  add_moves_of<b32>(table, {"b32", "u32", "s32", "f32"});
  add_moves_of<b64>(table, {"b64", "u64", "s64", "f64"});
  row<b128(b128)>(table, {"mov.b128"}, copy);
  row_of<pred(pred), pred_full<pred_copy, 1>>(table, {"mov.pred"});
  row_of<pred(pred), pred_full<pred_not, 1>>(table, {"not.pred"});
  row_of<pred(pred, pred), pred_full<pred_and, 2>>(table, {"and.pred"});
  row_of<pred(pred, pred), pred_full<pred_or, 2>>(table, {"or.pred"});
  row_of<pred(pred, pred), pred_full<pred_xor, 2>>(table, {"xor.pred"});
  add_packing(table);
}

}  // namespace ridge::machine::RIDGE_LANES
