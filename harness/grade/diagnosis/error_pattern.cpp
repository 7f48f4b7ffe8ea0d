// The sentence on where errors lie. Each pattern is a function that recognises one and says nothing
// otherwise; the first that speaks is taken, so they stand from the most to the least particular.
#include <fmt/format.h>

#include <algorithm>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

Answer nothing_written(const Output& o) {
  if (o.untouched() < o.elements()) return {};
  return Pattern{
      fmt::format("{} still holds {}: nothing was written there.", o.buffer().name,
                  o.had_values() ? "the values it had before" : "the NaN pattern it was filled with"),
      fmt::format("Write every element of {} in the kernel, and launch the kernel in the function.",
                  o.buffer().name)};
}

Answer transposed(const Output& o) {
  if (o.rows() < 2 || o.cols() < 2 || o.untouched() || 2 * o.wrong() < o.elements()) return {};
  int64_t rows = o.rows(), cols = o.cols();
  // As if the output had been written with its extents exchanged: element [c][r] of a [cols][rows] array.
  if (!for_all(o, [&](int64_t k) { return o.would_be_right_at(k, (k % rows) * cols + k / rows); })) return {};
  return Pattern{
      "Rows and columns are exchanged: every element is the right one for the transposed place.",
      "Look at the index of the write: row * width + column, with the width of the array that is written."};
}

// Whether `written` of the elements are what blocks of some size write that begin too near each other.
Answer blocks_too_near(const Output& o, int64_t written) {
  if (o.rows() > 1 || o.untouched() != o.wrong()) return {};
  const std::string what = fmt::format("Only the first {} of {} elements are right; all from {} on {}.",
                                       written, o.elements(), o.name(written), are_what(o));
  for (int64_t threads = 32; threads <= 1024; threads *= 2) {
    const int64_t blocks = (o.elements() + threads - 1) / threads;
    if (blocks < 3) break;
    for (const int64_t step : {blocks, int64_t{1}}) {
      if (step >= threads || written != threads + (blocks - 1) * step) continue;
      return Pattern{
          fmt::format(
              "{} {} = {} + {} x {}: so far reach {} blocks of {} threads of which each begins {} after the "
              "one before, and not {}.",
              what, written, threads, blocks - 1, step, blocks, threads,
              step == 1 ? "one element" : fmt::format("{} elements", step), threads),
          step == 1
              ? "Is blockIdx.x multiplied by the size of a block, blockDim.x, before threadIdx.x is added?"
              : "Is blockIdx.x multiplied by gridDim.x, the number of blocks, where blockDim.x, the size of "
                "a "
                "block, is meant?"};
    }
  }
  return {};
}

Answer tail(const Output& o) {
  int64_t first = 0;
  while (first < o.elements() && o.right(first))
    ++first;
  if (first == 0 || o.elements() - first != o.wrong()) return {};
  if (o.rows() > 1 && o.cols() > 1 && first % o.cols() == 0) return {};  // whole rows: said as such
  std::string which =
      o.wrong() == 1
          ? fmt::format("Only the last of {} elements {}", o.elements(), is_what(o))
          : fmt::format("Only the last {} of {} elements {}", o.wrong(), o.elements(), are_what(o));
  if (o.rows() > 1 && 2 * o.wrong() > o.elements())
    return Pattern{fmt::format("The first {} elements are right, and all from {} on {}.", first,
                               o.name(first), are_what(o)),
                   "Look at the index: at which row does what is computed part from what is wanted?"};
  if (Answer near = blocks_too_near(o, first)) return near;
  if (2 * o.wrong() > o.elements())
    return Pattern{
        fmt::format("Only the first {} of {} elements are right; all from {} on {}.", first, o.elements(),
                    o.name(first), are_what(o)),
        "Is that as much as one block, or one turn of a loop, does? Look at the number of blocks in "
        "<<<...>>>, at blockIdx in the index and at the step of the loop."};
  int64_t block = 1;
  while (block < 1024 && first % (2 * block) == 0)
    block *= 2;
  std::string why;
  if (o.elements() % block != 0 && block < 32)
    why = " The end of the array needs care of its own.";
  else if (o.elements() % block != 0 && o.wrong() < block)
    why = fmt::format(" {} is a multiple of {}, {} is not: the last, partial block is {}.", first, block,
                      o.elements(), o.untouched() == o.wrong() ? "left out" : "done wrong");
  else if (block >= 128 && o.untouched() == o.wrong())
    why = fmt::format(" {} is a multiple of {}: whole blocks are missing, as if the grid ended there.", first,
                      block);
  return Pattern{fmt::format("{}, from {} on.{}", which, o.name(first), why),
                 "Round the number of blocks up, (n + block - 1) / block, and let every thread check its "
                 "index against n; with a grid of fixed size, let the threads stride over the rest."};
}

// "the first 8 of 60 rows and the first 8 of 40 columns"
std::string first_part(const Output& o, int64_t rows, int64_t cols) {
  std::string text;
  const auto add = [&](int64_t count, int64_t of, const char* many) {
    if (count == of) return;
    if (!text.empty()) text += " and ";
    text += count == 1 ? fmt::format("the first of {} {}", of, many)
                       : fmt::format("the first {} of {} {}", count, of, many);
  };
  add(rows, o.rows(), "rows");
  add(cols, o.cols(), "columns");
  return text;
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
    return Pattern{fmt::format("Only {} {} right.", first_part(o, first_row, first_col),
                               first_row == 1 || first_col == 1 ? "is" : "are"),
                   "Look at how many elements a block does, and how far apart blocks start: is every element "
                   "given to a thread?"};
  std::string which;
  const auto last = [](int64_t count, int64_t of, const char* many) {
    return count == 1 ? fmt::format("the last of {} {}", of, many)
                      : fmt::format("the last {} of {} {}", count, of, many);
  };
  const bool one = o.rows() - first_row + o.cols() - first_col == 1;
  if (first_row < o.rows()) which = last(o.rows() - first_row, o.rows(), "rows");
  if (first_col < o.cols())
    which += (which.empty() ? "" : " and ") + last(o.cols() - first_col, o.cols(), "columns");
  const char* edge = o.rows() - first_row > 1 || o.cols() - first_col > 1
                         ? ": the tiles at the edge, which are not full"
                         : "";
  return Pattern{fmt::format("Only {} {}{}.", which, one ? is_what(o) : are_what(o), edge),
                 "Round the grid up in both directions, and check row and column against their own limits "
                 "(which is rows, which cols?); where a tile has several parts, look at where each begins."};
}

Answer one_range(const Output& o) {
  int64_t first = 0, last = o.elements() - 1;
  while (o.right(first))
    ++first;
  while (o.right(last))
    --last;
  if (last - first + 1 != o.wrong() || o.wrong() == o.elements()) return {};
  if (first == last)
    return Pattern{fmt::format("Only {} {}; the rest is right.", o.name(first), is_what(o)),
                   "Ask which thread of which block writes it, and from what."};
  return Pattern{fmt::format("Only the elements from {} to {} {}; the rest is right.", o.name(first),
                             o.name(last), are_what(o)),
                 "Ask which thread of which block writes the first of them."};
}

Pattern scattered(const Output& o) {
  std::string of_them = o.untouched() ? fmt::format(", {} of them never written", o.untouched()) : "";
  if (o.elements() == 1)
    return {"Its one element is wrong.",
            "Take few inputs, work the result out by hand, and compare it with what each thread adds.", true};
  if (o.wrong() == o.elements())
    return {fmt::format("All {} elements are wrong{}.", o.elements(), of_them),
            "Compute the first one by hand and compare it with what the kernel does for that index.", true};
  return {fmt::format("{} of {} elements are wrong{}; the map below shows where.", o.wrong(), o.elements(),
                      of_them),
          "Compute the first wrong one by hand: which thread writes it, and from what?", true};
}

// What is told of the wrong values where the sentence is on their places.
std::string with_values(const Pattern& where, const Answer& what) {
  return what ? where.sentence + " " + what->sentence : where.sentence;
}

}  // namespace

// First what is wrong as a whole, then values that belong to another place, then places; what the values are
// by themselves is told with the places, or alone where errors are everywhere.
Pattern explain(const Output& o, const problems::Case* given) {
  for (auto* whole : {nothing_written, transposed, origin_pattern})
    if (Answer answer = whole(o)) return *answer;
  if (Answer sum = part_of_a_sum(o, given)) return *sum;
  const Answer values = value_pattern(o, given);
  if (values && o.wrong() == o.elements()) return *values;
  for (auto* place : {tail, last_rows_or_columns, tile_borders, rows_and_columns, triangle, checkerboard,
                      part_of_every_block, one_range})
    if (Answer answer = place(o)) return {with_values(*answer, values), answer->next};
  if (values && 2 * o.wrong() > o.elements()) return *values;
  const Pattern where = scattered(o);
  return {with_values(where, values), values ? values->next : where.next, !values};
}

}  // namespace ridge::grade
