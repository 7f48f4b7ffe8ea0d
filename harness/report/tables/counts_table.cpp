#include "harness/report/tables/counts_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "harness/report/text/text.h"
#include "text/layout.h"
#include "text/numbers.h"

namespace ridge::report {
namespace {

// A total of the line, divided by its requests: "8.0 (4.0)". "-" without requests.
std::string for_one_request(uint64_t found, uint64_t ideal, uint64_t requests, const Style& style) {
  if (found == 0 || requests == 0) return "-";
  const double all = static_cast<double>(requests);
  const double have = static_cast<double>(found) / all, want = static_cast<double>(ideal) / all;
  const std::string text = fmt::format("{:.1f} ({:.1f})", have, want);
  // A tenth above the ideal is a partial tile; more is caused by the kernel.
  return have > 1.1 * want ? style.paint(Colour::yellow, text) : text;
}

}  // namespace

std::string counts_table(std::span<const grade::CountRow> rows, const Style& style) {
  using Row = std::array<std::string, 5>;
  std::vector<Row> table = {{"line", "what", "requests", "sectors/request (ideal)", "wavefronts (ideal)"}};
  for (const grade::CountRow& row : rows) {
    table.push_back({fmt::format("{}", row.line), row.what, text::with_thousands(row.requests),
                     for_one_request(row.sectors, row.ideal_sectors, row.requests, style),
                     for_one_request(row.wavefronts, row.ideal_wavefronts, row.requests, style)});
  }
  std::array<size_t, 5> widths{};
  for (const Row& row : table) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text::columns_of(row[i]));
  }
  std::string text;
  for (const Row& row : table) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blank(widths[i] - text::columns_of(row[i]), ' ');
      // Figures are right-aligned.
      line += (i == 0 ? "" : "  ") + (i == 1 ? row[i] + blank : blank + row[i]);
    }
    text += (&row == &table.front() ? style.paint(Colour::dim, line) : line) + "\n";
  }
  return text;
}

}  // namespace ridge::report
