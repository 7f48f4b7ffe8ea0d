// Recognises the pattern of errors. Each function recognises one pattern and returns nothing
// otherwise. The first answer is used, so the functions are called from the most to the least
// specific.
#include <fmt/format.h>

#include <algorithm>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

Answer nothing_written(const Output& o) {
  if (o.untouched() < o.elements()) return {};
  return Finding{
      "wrong.nothing_written",
      {{"array", o.buffer().name},
       {"held", o.had_values() ? "the values it had before" : "the NaN pattern it was filled with"}}};
}

Answer transposed(const Output& o) {
  if (o.rows() < 2 || o.cols() < 2 || o.untouched() || 2 * o.wrong() < o.elements()) return {};
  int64_t rows = o.rows(), cols = o.cols();
  // The output was written with its extents exchanged: element [c][r] of a [cols][rows] array.
  if (!for_all(o, [&](int64_t k) { return o.would_be_right_at(k, (k % rows) * cols + k / rows); })) return {};
  return Finding{"wrong.transposed", {}};
}

// True when the `written` elements are those that blocks of some size write when their starts
// overlap.
Answer blocks_too_near(const Output& o, int64_t written) {
  if (o.rows() > 1 || o.untouched() != o.wrong()) return {};
  for (int64_t threads = 32; threads <= 1024; threads *= 2) {
    const int64_t blocks = (o.elements() + threads - 1) / threads;
    if (blocks < 3) break;
    for (const int64_t step : {blocks, int64_t{1}}) {
      if (step >= threads || written != threads + (blocks - 1) * step) continue;
      return Finding{step == 1 ? "wrong.blocks_one_element_apart" : "wrong.blocks_gridDim_apart",
                     {{"right", written},
                      {"of", o.elements()},
                      {"first", o.name(written)},
                      {"are", are_what(o)},
                      {"threads", threads},
                      {"more", blocks - 1},
                      {"step", step},
                      {"blocks", blocks}}};
    }
  }
  return {};
}

Answer tail(const Output& o) {
  int64_t first = 0;
  while (first < o.elements() && o.right(first))
    ++first;
  if (first == 0 || o.elements() - first != o.wrong()) return {};
  // Complete rows: another function reports them.
  if (o.rows() > 1 && o.cols() > 1 && first % o.cols() == 0) return {};
  std::string which =
      o.wrong() == 1
          ? fmt::format("Only the last of {} elements {}", o.elements(), is_what(o))
          : fmt::format("Only the last {} of {} elements {}", o.wrong(), o.elements(), are_what(o));
  if (o.rows() > 1 && 2 * o.wrong() > o.elements())
    return Finding{"wrong.rows_from_one_on",
                   {{"right", first}, {"first", o.name(first)}, {"are", are_what(o)}}};
  if (Answer near = blocks_too_near(o, first)) return near;
  if (2 * o.wrong() > o.elements())
    return Finding{"wrong.only_first_part_right",
                   {{"right", first}, {"of", o.elements()}, {"first", o.name(first)}, {"are", are_what(o)}}};
  int64_t block = 1;
  while (block < 1024 && first % (2 * block) == 0)
    block *= 2;
  const std::vector<Value> values = {{"which", which},
                                     {"first", o.name(first)},
                                     {"right", first},
                                     {"of", o.elements()},
                                     {"tile", block},
                                     {"done", o.untouched() == o.wrong() ? "left out" : "done wrong"}};
  // The last tile is partial. A small tile is a vector; of a larger one the rest is missing.
  if (o.elements() % block != 0 && block < 32) return Finding{"wrong.last_vector", values};
  if (o.elements() % block != 0 && o.wrong() < block) return Finding{"wrong.last_partial_tile", values};
  if (block >= 128 && o.untouched() == o.wrong()) return Finding{"wrong.last_blocks", values};
  return Finding{"wrong.last_elements", values};
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
  // The largest correct corner at the origin defines what "the last" rows and columns are.
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
  // Edges are narrow: more than half is not an edge.
  if (2 * first_row < o.rows() || 2 * first_col < o.cols())
    return Finding{"wrong.only_first_corner_right",
                   {{"part", first_part(o, first_row, first_col)},
                    {"are", first_row == 1 || first_col == 1 ? "is" : "are"}}};
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
  return Finding{"wrong.last_rows_or_columns",
                 {{"which", which}, {"are", one ? is_what(o) : are_what(o)}, {"edge", edge}}};
}

Answer one_range(const Output& o) {
  int64_t first = 0, last = o.elements() - 1;
  while (o.right(first))
    ++first;
  while (o.right(last))
    --last;
  if (last - first + 1 != o.wrong() || o.wrong() == o.elements()) return {};
  if (first == last) return Finding{"wrong.one_element", {{"element", o.name(first)}, {"is", is_what(o)}}};
  return Finding{"wrong.one_range", {{"first", o.name(first)}, {"last", o.name(last)}, {"are", are_what(o)}}};
}

Finding scattered(const Output& o) {
  std::string of_them = o.untouched() ? fmt::format(", {} of them never written", o.untouched()) : "";
  if (o.elements() == 1) return {"wrong.single_result", {}};
  if (o.wrong() == o.elements())
    return {"wrong.all_elements", {{"count", o.elements()}, {"unwritten", of_them}}};
  return {"wrong.scattered", {{"count", o.wrong()}, {"of", o.elements()}, {"unwritten", of_them}}};
}

}  // namespace

std::string Pattern::sentence() const {
  return values ? finding.sentence() + " " + values->sentence() : finding.sentence();
}

// For NaN and infinity their cause is more useful than their place.
std::string Pattern::next() const {
  const bool no_numbers =
      values && (values->id == "wrong.nan" || values->id == "wrong.nan_from_exp" || values->id == "wrong.infinite");
  return (scattered && values) || no_numbers ? values->next() : finding.next();
}

// Order: the output as a whole, then values that belong to another place, then places. What the
// values are is reported after the places, or alone when errors are everywhere.
Pattern explain(const Output& o, const problems::Case* given) {
  for (auto* whole : {nothing_written, transposed, origin_pattern})
    if (Answer answer = whole(o)) return {*answer};
  if (Answer sum = part_of_a_sum(o, given)) return {*sum};
  const Answer values = value_pattern(o, given);
  if (values && o.wrong() == o.elements()) return {*values};
  for (auto* place : {tail, last_rows_or_columns, tile_borders, rows_and_columns, triangle, checkerboard,
                      part_of_every_block, one_range})
    if (Answer answer = place(o)) return {*answer, values};
  if (values && 2 * o.wrong() > o.elements()) return {*values};
  return {scattered(o), values, true};
}

}  // namespace ridge::grade
