#include "harness/cli/watch/watch_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text/error_map_text.h"
#include "harness/report/text/fold.h"
#include "text/layout.h"

namespace ridge::cli {
namespace {

using report::Colour;
using report::cut;
using report::folded;
using report::Style;

std::vector<std::string> keys_line(const WatchView& view, const Style& style) {
  if (!view.question.empty())
    return folded(style.paint(Colour::yellow, view.question), size_t(style.width));
  struct KeyName {
    const char *key, *name;
  };
  constexpr KeyName kKeys[] = {{"n", "next"}, {"h", "hint"},   {"b", "bench"}, {"t", "trace"},
                               {"v", "view"}, {"u", "submit"}, {"l", "list"},  {"x", "reset"},
                               {"?", "keys"}, {"q", "quit"}};
  std::string named, bare;
  size_t columns = 0;
  for (const KeyName& key : kKeys) {
    const bool next = std::string_view(key.key) == "n";
    if (next && !view.may_go_next) continue;
    if (std::string_view(key.key) == "u" && !view.may_submit) continue;
    const std::string painted = style.paint(next ? Colour::green : Colour::bold, key.key);
    named += fmt::format("{}{} {}", named.empty() ? "" : "  ", painted, key.name);
    columns = text::columns_of(named);
    bare += (bare.empty() ? "" : " ") + painted;
  }
  return {columns <= size_t(style.width) ? named : cut(bare, size_t(style.width))};
}

std::string heading(const WatchView& view, const Style& style) {
  const size_t width = size_t(style.width), used = text::columns_of(view.title);
  const size_t place = text::columns_of(view.place);
  std::string line = style.paint(Colour::bold, cut(view.title, width));
  if (place > 0 && used + 2 + place <= width)
    line += std::string(width - used - place, ' ') + style.paint(Colour::dim, view.place);
  return line;
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

}  // namespace

Frame compose(const WatchView& view, size_t rows, const Style& style, size_t first) {
  const size_t width = size_t(style.width);
  Frame frame;
  std::vector<std::string> foot;
  if (!view.trend.empty() && rows >= 10) foot.push_back(cut(view.trend, width));
  std::vector<std::string> notice = folded(view.notice, width);
  if (notice.size() > std::max<size_t>(1, rows / 4)) notice.resize(std::max<size_t>(1, rows / 4));
  append(foot, notice);
  append(foot, keys_line(view, style));

  std::vector<std::string>& lines = frame.lines;
  lines = {heading(view, style), cut(view.status, width)};
  std::vector<std::string> idea = folded(style.paint(Colour::dim, view.idea), width);
  const bool roomy = rows >= 20;
  if (roomy) append(lines, idea);
  if (rows >= 14) lines.push_back("");

  std::vector<std::string> body;
  if (!roomy && view.result.empty()) append(body, idea);
  std::vector<std::string> result = folded(view.result, width);
  if (view.error_map) append(result, folded(report::error_map_text(*view.error_map, width), width));
  const std::vector<std::string> extra = folded(view.extra, width);
  append(body, view.extra_first ? extra : result);
  if (!extra.empty() && !result.empty()) body.push_back("");
  append(body, view.extra_first ? result : extra);

  // The row above the foot is a rule that shows whether there is more text.
  const size_t taken = lines.size() + foot.size() + 1;
  frame.page = rows > taken ? rows - taken : 0;
  frame.last_first = body.size() > frame.page ? body.size() - frame.page : 0;
  frame.first = std::min(first, frame.last_first);
  for (size_t i = frame.first; i < std::min(body.size(), frame.first + frame.page); ++i)
    lines.push_back(body[i]);
  while (lines.size() + foot.size() + 1 < rows)
    lines.push_back("");
  if (lines.size() + foot.size() < rows) {
    const size_t below = frame.last_first - frame.first;
    std::string rule = below > 0 ? fmt::format("── {} more line{} below: space or ↓ ", below,
                                               below == 1 ? "" : "s")
                       : frame.first > 0 ? "── the end; ↑ goes back "
                                         : "";
    for (size_t used = text::columns_of(rule); used < width; ++used)
      rule += "─";
    lines.push_back(style.paint(Colour::dim, cut(rule, width)));
  }
  // If the terminal has too few rows, the keys and the status are kept.
  if (lines.size() + foot.size() > rows) lines.resize(rows > foot.size() ? rows - foot.size() : 0);
  append(lines, foot);
  if (lines.size() > rows) lines.erase(lines.begin(), lines.end() - static_cast<long>(rows));
  return frame;
}

}  // namespace ridge::cli
