#include "harness/report/table.h"

#include <algorithm>

namespace ridge::report {

std::string table_of(const std::vector<std::vector<Cell>>& rows, const Style& style) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i].text));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line, gap;  // a gap is written when something comes behind it
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string room(widths[i] - columns_of(row[i].text), ' ');
      if (row[i].right || row[i].text.empty()) gap += room;
      if (!row[i].text.empty()) {
        line += gap + style.paint(row[i].colour, row[i].text);
        gap = row[i].right ? "" : room;
      }
      gap += "  ";
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace ridge::report
