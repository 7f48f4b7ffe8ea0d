// Recognises where errors are in a matrix or in every block.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "harness/grade/diagnosis/index_set.h"
#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

constexpr int64_t kTiles[] = {1, 2, 4, 8, 16, 32, 64, 128};

bool is_matrix(const Output& o) {
  return o.rows() > 1 && o.cols() > 1;
}

// A set of wrong (or right) elements that is a product of rows and columns.
struct Product {
  IndexSet rows, cols;
  bool holds = false;
};
Product product_of(const Output& o, bool right) {
  Product product{{std::vector<bool>(static_cast<size_t>(o.rows()))},
                  {std::vector<bool>(static_cast<size_t>(o.cols()))}};
  int64_t count = 0;
  for (int64_t i = 0; i < o.elements(); ++i) {
    if (o.right(i) != right) continue;
    ++count;
    product.rows.in[static_cast<size_t>(i / o.cols())] = true;
    product.cols.in[static_cast<size_t>(i % o.cols())] = true;
  }
  product.holds = count > 0 && count == product.rows.count() * product.cols.count();
  return product;
}

int64_t power_of_two_in(int64_t number) {
  int64_t power = 1;
  while (power < 1024 && number % (2 * power) == 0)
    power *= 2;
  return power;
}

std::string capital(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

Answer rows_and_columns(const Output& o) {
  if (!is_matrix(o) || o.wrong() == 1) return {};
  for (const bool right : {false, true}) {
    const Product product = product_of(o, right);
    if (!product.holds) continue;
    const std::string rows = describe(product.rows, "row", "rows"),
                      cols = describe(product.cols, "column", "columns");
    if (rows.empty() || cols.empty()) continue;
    const bool every_row = product.rows.all(), every_col = product.cols.all();
    if (every_row && every_col) continue;
    std::string which = every_col ? rows : every_row ? cols : fmt::format("{} in {}", cols, rows);
    const std::string& decides = every_col ? rows : cols;
    const bool single =
        (every_row || every_col) && !decides.starts_with("the ") && !decides.starts_with("those ");
    const std::string verb = right ? (single ? "is right" : "are right") : single ? is_what(o) : are_what(o);
    return Finding{every_col   ? "wrong.these_rows"
                   : every_row ? "wrong.these_columns"
                               : "wrong.this_part",
                   {{"which", which}, {"are", verb}}};
  }
  return {};
}

Answer checkerboard(const Output& o) {
  if (!is_matrix(o)) return {};
  for (const int64_t t : kTiles) {
    if (2 * t > std::max(o.rows(), o.cols()) || t >= std::min(o.rows(), o.cols())) break;
    for (const int64_t odd : {0, 1}) {
      if (!for_all(
              o, [&](int64_t i) { return o.right(i) == ((i / o.cols() / t + i % o.cols() / t) % 2 != odd); }))
        continue;
      return Finding{"wrong.chess_board",
                     {{"fields", t == 1 ? "" : fmt::format(", with fields of {} x {}", t, t)}}};
    }
  }
  return {};
}

Answer triangle(const Output& o) {
  if (!is_matrix(o) || std::min(o.rows(), o.cols()) < 3) return {};
  struct Kind {
    bool (*is_in)(int64_t row, int64_t col);
    const char* which;
  };
  const Kind kinds[] = {
      {[](int64_t r, int64_t c) { return c > r; }, "above the diagonal"},
      {[](int64_t r, int64_t c) { return c >= r; }, "on and above the diagonal"},
      {[](int64_t r, int64_t c) { return c < r; }, "below the diagonal"},
      {[](int64_t r, int64_t c) { return c <= r; }, "on and below the diagonal"},
      {[](int64_t r, int64_t c) { return c == r; }, "on the diagonal"},
      {[](int64_t r, int64_t c) { return c != r; }, "off the diagonal"},
  };
  for (const Kind& kind : kinds) {
    if (!for_all(o, [&](int64_t i) { return o.right(i) != kind.is_in(i / o.cols(), i % o.cols()); }))
      continue;
    return Finding{"wrong.diagonal", {{"which", kind.which}, {"are", are_what(o)}}};
  }
  return {};
}

Answer tile_borders(const Output& o) {
  if (!is_matrix(o)) return {};
  for (const int64_t t : kTiles) {
    if (t < 4) continue;
    if (2 * t > std::max(o.rows(), o.cols())) break;
    struct Kind {
      bool low, high;
      const char* which;
    };
    for (const Kind& kind :
         {Kind{true, false, "the first row and the first column"},
          Kind{false, true, "the last row and the last column"}, Kind{true, true, "the border"}}) {
      const auto on_border = [&](int64_t i) {
        const int64_t r = i / o.cols() % t, c = i % o.cols() % t;
        return (kind.low && (r == 0 || c == 0)) || (kind.high && (r == t - 1 || c == t - 1));
      };
      if (!for_all(o, [&](int64_t i) { return o.right(i) != on_border(i); })) continue;
      return Finding{"wrong.tile_borders", {{"which", kind.which}, {"tile", t}, {"are", are_what(o)}}};
    }
  }
  return {};
}

Answer part_of_every_block(const Output& o) {
  if (is_matrix(o)) return {};  // rows_and_columns has reported it
  // A single right element among wrong ones is preferred to a run of wrong elements between right ones.
  const auto members_of = [](const Recurrence& r) {
    return r.period == 0 ? INT64_MAX : r.last - r.first + 1;
  };
  Recurrence found[2];
  for (const bool right : {false, true}) {
    IndexSet set{std::vector<bool>(static_cast<size_t>(o.elements()))};
    for (int64_t i = 0; i < o.elements(); ++i)
      set.in[static_cast<size_t>(i)] = o.right(i) == right;
    found[right] = recurrence_of(set);
  }
  const bool one_right = members_of(found[true]) == 1 && members_of(found[false]) != 1;
  for (const bool right : {one_right, !one_right}) {
    const Recurrence again = found[right];
    if (again.period == 0) continue;
    const int64_t members = again.last - again.first + 1;
    if (members == 1) {
      const std::string which =
          fmt::format("one element in {}, from {} on,", again.period, o.name(again.first));
      const std::string claim =
          right ? fmt::format("Only {} is right", which) : fmt::format("{} {}", capital(which), is_what(o));
      const bool whole_blocks = again.period >= 32 && again.period == power_of_two_in(again.period);
      return Finding{whole_blocks ? "wrong.one_thread_per_block" : "wrong.one_element_per_stride",
                     {{"claim", claim}, {"block", again.period}, {"thread", again.first}}};
    }
    std::string which =
        fmt::format("in every {} elements those from {} to {}", again.period, again.first, again.last);
    const bool warps =
        again.period >= 64 && again.period % 32 == 0 && again.first % 32 == 0 && members % 32 == 0;
    const std::string claim =
        right ? fmt::format("Right are only, {}", which) : fmt::format("{} {}", capital(which), are_what(o));
    const int64_t from = again.first / 32, to = again.last / 32;
    return Finding{
        warps ? "wrong.warps_of_every_block" : "wrong.part_of_every_block",
        {{"claim", claim},
         {"block", again.period},
         {"warps", from == to ? fmt::format("warp {}", from) : fmt::format("warps {} to {}", from, to)}}};
  }
  return {};
}

}  // namespace ridge::grade
