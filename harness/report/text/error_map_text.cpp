#include "harness/report/text/error_map_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text/fold.h"

namespace ridge::report {
namespace {

constexpr size_t kMapIndent = 2;

// Reduces a line to `count` cells; each represents the cells at its place.
std::string joined(const std::string& cells, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const size_t first = i * cells.size() / count, last = (i + 1) * cells.size() / count;
    const std::string part = cells.substr(first, last - first);
    const auto has = [&](char cell) { return part.find(cell) != std::string::npos; };
    const bool mixed = has('+') || (has('.') && (has('#') || has('?')));
    text += mixed ? '+' : has('#') ? '#' : has('?') ? '?' : '.';
  }
  return text;
}

}  // namespace

std::string error_map_text(const grade::ErrorMap& map, size_t width) {
  const std::string title =
      map.elements_per_cell == 0
          ? fmt::format("map of {}, {} rows by {} columns", map.array, map.rows, map.columns)
          : fmt::format("map of {}, {} element{} per character, in order", map.array, map.elements_per_cell,
                        map.elements_per_cell == 1 ? "" : "s");
  std::string text;
  for (const std::string& line : folded(title + " (. right, + some wrong, # wrong, ? never written):", width))
    text += line + "\n";
  const std::string margin(kMapIndent, ' ');
  const size_t room = width > kMapIndent ? width - kMapIndent : 1;
  std::string in_order;
  for (const std::string& cells : map.lines)
    if (map.elements_per_cell == 0)
      text += margin + joined(cells, std::min(room, cells.size())) + "\n";
    else
      in_order += cells;
  // Not wider than originally, so that a line stands for a round number of elements.
  const size_t columns = map.lines.empty() ? room : std::min(room, map.lines.front().size());
  for (size_t at = 0; at < in_order.size(); at += columns)
    text += margin + in_order.substr(at, columns) + "\n";
  return text;
}

std::string detail_text(const grade::Outcome& outcome, size_t width) {
  std::string text = outcome.detail;
  if (!outcome.error_map) return text;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + error_map_text(*outcome.error_map, width);
}

}  // namespace ridge::report
