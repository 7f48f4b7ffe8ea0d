#include "harness/report/tables/table.h"

#include <algorithm>

#include "harness/report/text/fold.h"
#include "text/layout.h"

namespace ridge::report {
namespace {

// The cells one after the other, as many per line as fit.
std::string flowing(const std::vector<std::vector<Cell>>& rows, const Style& style) {
  constexpr size_t kIndent = 4;
  const size_t room = static_cast<size_t>(style.width);
  const std::vector<Cell>& titles = rows.front();
  std::string text;
  for (size_t r = 1; r < rows.size(); ++r) {
    std::string line;
    size_t used = 0;
    for (size_t i = 0; i < rows[r].size(); ++i) {
      const Cell& cell = rows[r][i];
      if (cell.text.empty()) continue;
      const bool has_title = i > 0 && i < titles.size() && !titles[i].text.empty() &&
                             (cell.right || titles.front().text.empty());
      const std::string shown = (has_title ? style.paint(Colour::dim, titles[i].text) + " " : "") +
                                style.paint(cell.colour, cut(cell.text, room - kIndent));
      const size_t columns = text::columns_of(shown);
      if (used > 0 && used + 2 + columns > room) {
        text += line + "\n";
        line = std::string(kIndent, ' ');
        used = kIndent;
      } else if (used > 0) {
        line += "  ";
        used += 2;
      }
      line += shown;
      used += columns;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string table_of(const std::vector<std::vector<Cell>>& rows, const Style& style) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text::columns_of(row[i].text));
  }
  size_t all = widths.empty() ? 0 : 2 * (widths.size() - 1);
  for (const size_t width : widths)
    all += width;
  if (style.narrow && all > static_cast<size_t>(style.width)) return flowing(rows, style);
  std::string text;
  for (const auto& row : rows) {
    std::string line, gap;  // a gap is written only before further text
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string room(widths[i] - text::columns_of(row[i].text), ' ');
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
