// The loop of the virtual GPU's arithmetic, and row<>(), which adds an opcode to the table:
//
//   constexpr auto add = [](auto a, auto b) { return a + b; };
//   row<f32(f32, f32)>(table, {"add.f32"}, add);
//
// means that add.f32 takes two f32 and returns an f32, computed by `add`. The signature defines how
// cells are converted to values and back (types.h); the functor is the arithmetic on one lane's
// values. From the two, templates generate
//
//   full    a loop over 32 lanes without a mask, which the compiler turns into a few vector
//           instructions;
//   masked  the same, where lanes outside the mask keep their values. It saves the row, runs `full`,
//           and blends: no operation can trap, so computing inactive lanes is harmless, and a
//           thousand opcodes need no second loop.
#pragma once

#include <initializer_list>
#include <utility>

#include "virtual_gpu/machine/lanes/lane_table.h"
#include "virtual_gpu/machine/lanes/operations/predicate.h"
#include "virtual_gpu/machine/lanes/operations/types.h"

namespace ridge::machine::RIDGE_LANES {

// Lanes are independent. A destination may be one of the sources, but then it is exactly the same
// row, and an iteration loads before it stores. The pragma states this: without it compilers test
// for overlap at run time and, when they find one (add r1, r1, r2), process one lane at a time.
template <int kCount, class Body>
[[gnu::always_inline]] inline void each_cell(Body body) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int i = 0; i < kCount; ++i)
    body(i);
}

// A short loop in a lane's arithmetic, unrolled at compile time: an inner loop would prevent
// vectorization.
template <int kCount, class Body>
[[gnu::always_inline]] constexpr void unrolled(Body body) {
  [&]<int... kStep>(std::integer_sequence<int, kStep...>) {
    (body(kStep), ...);
  }
  (std::make_integer_sequence<int, kCount>{});
}

template <class Cell>
Cell* cells_at(std::byte* registers, RowOffset row) {
  return static_cast<Cell*>(__builtin_assume_aligned(registers + row, 64));
}
inline uint32_t& mask_at(std::byte* registers, RowOffset row) {
  return *cells_at<Cell32>(registers, row);
}

// Reads an operand: source[i] is lane i's value.
template <class T>
struct Source {
  const typename T::Cell* cells;
  Source(std::byte* registers, RowOffset row) : cells(cells_at<typename T::Cell>(registers, row)) {}
  typename T::Value operator[](int i) const { return T::load(cells[i]); }
};
template <>
struct Source<pred> {
  uint32_t mask;
  Source(std::byte* registers, RowOffset row) : mask(mask_at(registers, row)) {}
  bool operator[](int i) const { return (mask & kLaneBits.bit[i]) != 0; }
};
template <>
struct Source<carry> : Source<pred> {
  Source(std::byte* registers, RowOffset) : Source<pred>(registers, kCarryRow) {}
};
template <>
struct Source<uniform> {
  uint32_t value;
  Source(std::byte* registers, RowOffset row) : value(*cells_at<Cell32>(registers, row)) {}
  uint32_t operator[](int) const { return value; }
};

// Writes a result: sink.put(i, value) for each lane, then finish().
template <class T>
struct Sink {
  typename T::Cell* cells;
  Sink(std::byte* registers, const LaneOperands& o) : Sink(registers, o.dst) {}
  Sink(std::byte* registers, RowOffset row) : cells(cells_at<typename T::Cell>(registers, row)) {}
  void put(int i, auto value) { cells[i] = T::store(static_cast<typename T::Value>(value)); }
  void finish() {}
};
template <>
struct Sink<pred> {
  uint32_t* mask;
  Flags flags;
  Sink(std::byte* registers, const LaneOperands& o) : Sink(registers, o.dst) {}
  Sink(std::byte* registers, RowOffset row) : mask(&mask_at(registers, row)) {}
  void put(int i, bool value) { flags.lane[i] = value ? -1 : 0; }
  void finish() { *mask = collapse(flags); }
};
template <>
struct Sink<carry> : Sink<pred> {
  Sink(std::byte* registers, RowOffset) : Sink<pred>(registers, kCarryRow) {}
};
template <class First, class Second>
struct Sink<both<First, Second>> {
  Sink<First> first;
  Sink<Second> second;
  Sink(std::byte* registers, const LaneOperands& o) : first(registers, o.dst), second(registers, o.dst2) {}
  void put(int i, auto results) {
    first.put(i, results.first);
    second.put(i, results.second);
  }
  void finish() {
    first.finish();
    second.finish();
  }
};

// Restores `before` in the lanes outside the mask.
template <class Cell>
[[gnu::noinline]] void blend(Cell* cells, const Cell* before, uint32_t mask) {
  each_cell<kLanes>([=](int i) {
    const Cell now = cells[i], then = before[i];
    cells[i] = either((mask & kLaneBits.bit[i]) != 0, now, then);
  });
}

// The saved row for `masked`. A packed row counts by lane here: its two elements are active or
// inactive together.
template <class T>
struct Saved {
  using Cell = LaneCell<T::kRow>;
  Cell* cells;
  alignas(64) Cell before[kLanes];
  Saved(std::byte* registers, const LaneOperands& o) : Saved(registers, o.dst) {}
  Saved(std::byte* registers, RowOffset row) : cells(cells_at<Cell>(registers, row)) {
    __builtin_memcpy(before, cells, sizeof before);
  }
  void restore_outside(uint32_t mask) { blend(cells, before, mask); }
};
template <>
struct Saved<pred> {
  uint32_t* bits;
  uint32_t before;
  Saved(std::byte* registers, const LaneOperands& o) : Saved(registers, o.dst) {}
  Saved(std::byte* registers, RowOffset row) : bits(&mask_at(registers, row)), before(*bits) {}
  void restore_outside(uint32_t mask) { *bits = (*bits & mask) | (before & ~mask); }
};
template <>
struct Saved<carry> : Saved<pred> {
  Saved(std::byte* registers, RowOffset) : Saved<pred>(registers, kCarryRow) {}
};
template <class First, class Second>
struct Saved<both<First, Second>> {
  Saved<First> first;
  Saved<Second> second;
  Saved(std::byte* registers, const LaneOperands& o) : first(registers, o.dst), second(registers, o.dst2) {}
  void restore_outside(uint32_t mask) {
    first.restore_outside(mask);
    second.restore_outside(mask);
  }
};

template <LaneFunction kFull, class Result>
void masked(std::byte* registers, const LaneOperands& o, uint32_t mask) {
  Saved<Result> saved(registers, o);
  kFull(registers, o, kAllLanes);
  saved.restore_outside(mask);
}

template <class Signature, class Functor>
struct Operation;

template <class Result, class... Operands, class Functor>
struct Operation<Result(Operands...), Functor> {
  template <size_t... kIndex>
  [[gnu::always_inline]] static void run(std::byte* registers, const LaneOperands& o,
                                         std::index_sequence<kIndex...>) {
    const RowOffset rows[] = {o.a, o.b, o.c, o.d};
    [&](Source<Operands>... sources) {
      Sink<Result> sink(registers, o);
      each_cell<kCells>([&](int i) { sink.put(i, Functor{}(sources[i]...)); });
      sink.finish();
    }(Source<Operands>(registers, rows[kIndex])...);
  }
  template <class T>
  static constexpr int cells_of(T) {
    return T::kCells;
  }
  template <class First, class Second>
  static constexpr int cells_of(both<First, Second>) {
    return First::kCells;
  }
  static constexpr int kCells = cells_of(Result{});

  [[gnu::noinline]] static void full(std::byte* registers, const LaneOperands& o, uint32_t) {
    run(registers, o, std::index_sequence_for<Operands...>{});
  }
};

template <class T>
constexpr RowType kRowOf = T::kRow;
template <>
constexpr RowType kRowOf<carry> = RowType::none;

template <class Signature>
struct ShapeOf;
template <class Result, class... Operands>
struct ShapeOf<Result(Operands...)> {
  using Type = Result;
  static constexpr LaneTable::Shape kShape{kRowOf<Result>, RowType::none, kRowOf<Operands>...};
};
template <class First, class Second, class... Operands>
struct ShapeOf<both<First, Second>(Operands...)> {
  using Type = both<First, Second>;
  static constexpr LaneTable::Shape kShape{kRowOf<First>, kRowOf<Second>, kRowOf<Operands>...};
};

// Adds a row with a special loop.
template <class Signature, LaneFunction kFull>
void row_of(LaneTable& table, std::initializer_list<const char*> opcode) {
  using Shape = ShapeOf<Signature>;
  table.add(opcode, kFull, masked<kFull, typename Shape::Type>, Shape::kShape);
}

template <class Signature, class Functor>
void row(LaneTable& table, std::initializer_list<const char*> opcode, Functor) {
  row_of<Signature, Operation<Signature, Functor>::full>(table, opcode);
}

}  // namespace ridge::machine::RIDGE_LANES
