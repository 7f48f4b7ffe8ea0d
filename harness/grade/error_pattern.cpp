// The sentence on where errors lie. Each pattern is a function that recognises one and says nothing
// otherwise; the first that speaks is taken, so they stand from the most to the least particular.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/grade/error_map.h"

namespace ridge::grade {

namespace {

using problems::State;
using Answer = std::optional<Pattern>;

bool all_wrong_are_untouched(const Output& o) {
  return o.untouched() == o.wrong();
}
const char* are_what(const Output& o) {
  return all_wrong_are_untouched(o) ? "were never written" : "are wrong";
}

template <typename Predicate>
bool for_all(const Output& o, Predicate holds) {
  for (int64_t i = 0; i < o.elements(); ++i)
    if (!holds(i)) return false;
  return true;
}

Answer nothing_written(const Output& o) {
  if (o.untouched() < o.elements()) return {};
  return Pattern{
      fmt::format("{} still holds {}: nothing was written there.", o.buffer().name,
                  o.had_values() ? "the values it had before" : "the NaN pattern it was filled with"),
      fmt::format("Write every element of {} in the kernel, and launch the kernel in the function.",
                  o.buffer().name)};
}

Answer all_one_value(const Output& o) {
  if (o.wrong() < o.elements() || o.elements() < 2) return {};
  double first = o.got(0);
  if (for_all(o, [&](int64_t i) { return std::isnan(o.got(i)); }))
    return Pattern{
        "Every element is NaN: it was computed from memory that holds no numbers yet.",
        "Look at what the kernel reads: the output before it is written, or beyond the end of an input?"};
  if (!for_all(o, [&](int64_t i) { return o.got(i) == first; })) return {};
  return Pattern{fmt::format("Every element is {:.7g}.", first),
                 "Look at what is written: does it depend on the index?"};
}

Answer transposed(const Output& o) {
  if (o.rows() < 2 || o.cols() < 2 || o.untouched()) return {};
  int64_t rows = o.rows(), cols = o.cols();
  // As if the output had been written with its extents exchanged: element [c][r] of a [cols][rows] array.
  if (!for_all(o, [&](int64_t k) { return o.would_be_right_at(k, (k % rows) * cols + k / rows); })) return {};
  return Pattern{
      "Rows and columns are exchanged: every element is the right one for the transposed place.",
      "Look at the index of the write: row * width + column, with the width of the array that is written."};
}

Answer shifted(const Output& o) {
  if (o.elements() < 8 || 2 * o.wrong() < o.elements()) return {};
  for (int64_t by : {1, -1, 32, -32}) {
    int64_t from = std::max<int64_t>(0, -by), to = std::min(o.elements(), o.elements() - by), right = 0;
    if (to - from < o.elements() / 2) continue;
    for (int64_t i = from; i < to; ++i)
      right += o.would_be_right_at(i, i + by);
    if (right == to - from)
      return Pattern{
          fmt::format("Every element holds the right answer for the place {} {}: the index is off by {}.",
                      std::abs(by), by > 0 ? "after it" : "before it", std::abs(by)),
          "Look at how the index is computed from blockIdx, blockDim and threadIdx."};
  }
  return {};
}

Answer multiplied(const Output& o) {
  if (o.wrong() < o.elements() || o.elements() < 8 || o.untouched()) return {};
  double factor = 0;
  for (int64_t i = 0; i < o.elements() && factor == 0; ++i)
    if (std::fabs(o.expected(i)) > 1e-3) factor = o.got(i) / o.expected(i);
  if (!std::isfinite(factor) || factor == 0) return {};
  if (!for_all(o, [&](int64_t i) {
        return std::fabs(o.got(i) - factor * o.expected(i)) <=
               1e-5 * std::fabs(factor * o.expected(i)) + 1e-30;
      }))
    return {};
  return Pattern{fmt::format("Every element is {:.6g} times the right answer.", factor),
                 "Is something added or applied more than once?"};
}

Answer nearly_right(const Output& o) {
  // bfloat16, the coarsest type of the course, keeps 8 bits.
  double worst = 0, allowed = 0;
  for (int64_t i = 0; i < o.elements(); ++i) {
    if (o.right(i)) continue;
    double error = std::fabs(o.got(i) - o.expected(i));
    if (!(error <= 0x1p-7 * std::fabs(o.expected(i)))) return {};
    if (error > worst) {
      worst = error;
      allowed = o.reference().tolerance.empty()
                    ? 0
                    : static_cast<double>(o.reference().tolerance[static_cast<size_t>(i)]);
    }
  }
  return Pattern{fmt::format("The values are near, but not as near as their type can be: {} of {} elements "
                             "are off, by up to {:.2g} where "
                             "rounding explains {:.2g}.",
                             o.wrong(), o.elements(), worst, allowed),
                 "Compute in the type of the arrays: no half, TF32 or approximate function in between."};
}

Answer tail(const Output& o) {
  int64_t first = 0;
  while (first < o.elements() && o.right(first))
    ++first;
  if (first == 0 || o.elements() - first != o.wrong()) return {};
  std::string which =
      o.wrong() == 1
          ? fmt::format("Only the last of {} elements {}", o.elements(),
                        all_wrong_are_untouched(o) ? "was never written" : "is wrong")
          : fmt::format("Only the last {} of {} elements {}", o.wrong(), o.elements(), are_what(o));
  if (o.rows() > 1 && 2 * o.wrong() > o.elements())
    return Pattern{fmt::format("The first {} elements are right, and all from {} on {}.", first,
                               o.name(first), are_what(o)),
                   "Look at the index: at which row does what is computed part from what is wanted?"};
  int64_t block = 1;
  while (block < 1024 && first % (2 * block) == 0)
    block *= 2;
  std::string why;
  if (o.elements() % block != 0)
    why = block >= 32
              ? fmt::format(" {} is a multiple of {}, {} is not: the last, partial block is left out.", first,
                            block, o.elements())
              : " The end of the array needs care of its own.";
  return Pattern{fmt::format("{}, from {} on.{}", which, o.name(first), why),
                 "Round the number of blocks up, (n + block - 1) / block, and let every thread check its "
                 "index against n."};
}

Answer last_rows_or_columns(const Output& o) {
  if (o.rows() < 2 || o.cols() < 2) return {};
  int64_t first_row = o.rows(), first_col = o.cols();
  // The largest corner at the origin that is all right decides what "the last" would be.
  for (int64_t c = 0; c < o.cols(); ++c)
    if (!o.right(c)) {
      first_col = c;
      break;
    }
  for (int64_t r = 0; r < o.rows(); ++r)
    if (!o.right(r * o.cols())) {
      first_row = r;
      break;
    }
  if (first_row == 0 || first_col == 0 || (first_row == o.rows() && first_col == o.cols())) return {};
  if (!for_all(
          o, [&](int64_t i) { return o.right(i) == (i / o.cols() < first_row && i % o.cols() < first_col); }))
    return {};
  // Edges are narrow. More than half is no edge.
  if (2 * first_row < o.rows() || 2 * first_col < o.cols())
    return Pattern{fmt::format("Only the first {} of {} rows and the first {} of {} columns are right.",
                               first_row, o.rows(), first_col, o.cols()),
                   "Look at how many elements a block does, and how far apart blocks start: is every element "
                   "given to a thread?"};
  std::string which;
  if (first_row < o.rows()) which = fmt::format("the last {} of {} rows", o.rows() - first_row, o.rows());
  if (first_col < o.cols())
    which += fmt::format("{}the last {} of {} columns", which.empty() ? "" : " and ", o.cols() - first_col,
                         o.cols());
  return Pattern{fmt::format("Only {} {}: the tiles at the edge, which are not full.", which, are_what(o)),
                 "Round the grid up in both directions, and check row and column against their own limits "
                 "(which is rows, which cols?)."};
}

Answer one_range(const Output& o) {
  int64_t first = 0, last = o.elements() - 1;
  while (o.right(first))
    ++first;
  while (o.right(last))
    --last;
  if (last - first + 1 != o.wrong() || o.wrong() == o.elements()) return {};
  return Pattern{fmt::format("Only the elements from {} to {} {}; the rest is right.", o.name(first),
                             o.name(last), are_what(o)),
                 "Ask which thread of which block writes the first of them."};
}

Answer every_kth(const Output& o) {
  if (o.elements() < 8) return {};
  // The class of indices that are the odd ones out: the right ones among wrong ones, or the other way round.
  for (bool right : {false, true}) {
    int64_t first = 0;
    while (first < o.elements() && o.right(first) != right)
      ++first;
    int64_t second = first + 1;
    while (second < o.elements() && o.right(second) != right)
      ++second;
    if (second >= o.elements()) continue;
    int64_t k = second - first;
    if (k < 2 || first >= k) continue;
    if (!for_all(o, [&](int64_t i) { return (o.right(i) == right) == (i % k == first); })) continue;
    std::string which = right ? fmt::format("Only one element in {}, from {} on, is right", k, o.name(first))
                              : fmt::format("One element in {}, from {} on, {}", k, o.name(first),
                                            all_wrong_are_untouched(o) ? "was never written" : "is wrong");
    return Pattern{which + ".",
                   "Look at the stride of the loop or of the index: does every element get a thread?"};
  }
  return {};
}

Pattern scattered(const Output& o) {
  std::string of_them = o.untouched() ? fmt::format(", {} of them never written", o.untouched()) : "";
  if (o.wrong() == o.elements())
    return {fmt::format("All {} elements are wrong{}.", o.elements(), of_them),
            "Compute the first one by hand and compare it with what the kernel does for that index."};
  return {fmt::format("{} of {} elements are wrong{}; the map below shows where.", o.wrong(), o.elements(),
                      of_them),
          "Compute the first wrong one by hand: which thread writes it, and from what?"};
}

}  // namespace

Pattern explain(const Output& output) {
  for (auto* pattern : {nothing_written, transposed, shifted, all_one_value, nearly_right, multiplied, tail,
                        last_rows_or_columns, every_kth, one_range})
    if (Answer answer = pattern(output)) return *answer;
  return scattered(output);
}

}  // namespace ridge::grade
