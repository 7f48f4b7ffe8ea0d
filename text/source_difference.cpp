#include "text/source_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "text/layout.h"

namespace ridge::text {
namespace {

using Kind = DiffLine::Kind;

// Above this number of line pairs (both versions over 2000 lines that differ throughout) no lines
// are matched.
constexpr size_t kMostPairs = size_t{1} << 22;
constexpr size_t kContextLines = 3;

// Indices from 0 in both versions. For an added or removed line, the index in the other version is
// the place where the line would be.
struct Step {
  Kind kind = Kind::same;
  size_t before = 0, now = 0;
};

// The steps that lead from `before` to `now`.
std::vector<Step> steps_between(std::span<const std::string_view> before,
                                std::span<const std::string_view> now) {
  size_t start = 0, end = 0;  // common lines at the start and at the end
  const size_t shorter = std::min(before.size(), now.size());
  while (start < shorter && before[start] == now[start])
    ++start;
  while (end < shorter - start && before[before.size() - 1 - end] == now[now.size() - 1 - end])
    ++end;
  const size_t rows = before.size() - start - end, columns = now.size() - start - end;

  // lengths[i * (columns + 1) + j]: length of the longest common subsequence of `before` from i on
  // and `now` from j on.
  std::vector<uint32_t> lengths;
  const bool matched = (rows + 1) * (columns + 1) <= kMostPairs;
  const auto length = [&](size_t i, size_t j) -> uint32_t& { return lengths[i * (columns + 1) + j]; };
  if (matched) {
    lengths.assign((rows + 1) * (columns + 1), 0);
    for (size_t i = rows; i-- > 0;)
      for (size_t j = columns; j-- > 0;)
        length(i, j) = before[start + i] == now[start + j] ? length(i + 1, j + 1) + 1
                                                           : std::max(length(i + 1, j), length(i, j + 1));
  }

  std::vector<Step> steps;
  for (size_t i = 0; i < start; ++i)
    steps.push_back({Kind::same, i, i});
  for (size_t i = 0, j = 0; i < rows || j < columns;) {
    // A run of lines without a match, removed lines first.
    size_t removed_end = i, added_end = j;
    while (removed_end < rows || added_end < columns) {
      const bool both = removed_end < rows && added_end < columns;
      if (matched && both && before[start + removed_end] == now[start + added_end]) break;
      const bool remove = added_end == columns ||
                          (removed_end < rows && (!matched || length(removed_end + 1, added_end) >=
                                                                  length(removed_end, added_end + 1)));
      ++(remove ? removed_end : added_end);
    }
    for (; i < removed_end; ++i)
      steps.push_back({Kind::removed, start + i, start + j});
    for (; j < added_end; ++j)
      steps.push_back({Kind::added, start + i, start + j});
    if (i < rows && j < columns) steps.push_back({Kind::same, start + i++, start + j++});
  }
  for (size_t i = 0; i < end; ++i)
    steps.push_back({Kind::same, before.size() - end + i, now.size() - end + i});
  return steps;
}

// "3,4": the first line and the number of lines, as diff(1) writes them.
std::string range_text(size_t first, size_t lines) {
  return lines == 1   ? fmt::format("{}", first + 1)
         : lines == 0 ? fmt::format("{},0", first)
                      : fmt::format("{},{}", first + 1, lines);
}

std::string hunk_text(std::span<const Step> steps, std::span<const std::string_view> before,
                      std::span<const std::string_view> now, bool colour) {
  const auto of_kind = [&](Kind kind) {
    return static_cast<size_t>(
        std::count_if(steps.begin(), steps.end(), [&](const Step& step) { return step.kind == kind; }));
  };
  const auto painted = [&](const char* code, std::string_view line) {
    return colour && *code ? fmt::format("\x1b[{}m{}\x1b[m\n", code, line) : fmt::format("{}\n", line);
  };
  const size_t same = of_kind(Kind::same);
  std::string text =
      painted("36", fmt::format("@@ -{} +{} @@", range_text(steps[0].before, same + of_kind(Kind::removed)),
                                range_text(steps[0].now, same + of_kind(Kind::added))));
  for (const Step& step : steps) {
    std::string_view line = step.kind == Kind::removed ? before[step.before] : now[step.now];
    const bool ended = line.ends_with('\n');
    if (ended) line.remove_suffix(1);
    const char* sign = step.kind == Kind::same ? " " : step.kind == Kind::added ? "+" : "-";
    const char* code = step.kind == Kind::same ? "" : step.kind == Kind::added ? "32" : "31";
    text += painted(code, fmt::format("{}{}", sign, line));
    if (!ended) text += "\\ No newline at end of file\n";
  }
  return text;
}

}  // namespace

LineChange count_changes(std::string_view before, std::string_view now) {
  LineChange change;
  for (const Step& step : steps_between(lines_with_ends(before), lines_with_ends(now))) {
    change.added += step.kind == Kind::added;
    change.removed += step.kind == Kind::removed;
  }
  return change;
}

std::string unified_diff(std::string_view before, std::string_view now, bool colour) {
  const auto old_lines = lines_with_ends(before), new_lines = lines_with_ends(now);
  const std::vector<Step> steps = steps_between(old_lines, new_lines);
  std::string text;
  for (size_t next = 0; next < steps.size();) {
    if (steps[next].kind == Kind::same) {
      ++next;
      continue;
    }
    // Two changes share a hunk when both have the lines between them as context.
    size_t end = next, unchanged = 0;
    for (size_t i = next; i < steps.size() && unchanged <= 2 * kContextLines; ++i) {
      unchanged = steps[i].kind == Kind::same ? unchanged + 1 : 0;
      if (unchanged == 0) end = i + 1;
    }
    const size_t first = next - std::min(next, kContextLines);
    const size_t last = std::min(end + kContextLines, steps.size());
    text += hunk_text(std::span(steps).subspan(first, last - first), old_lines, new_lines, colour);
    next = last;
  }
  return text;
}

std::string_view code_of(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first, last - first + 1);
}

std::vector<DiffLine> code_difference(std::string_view now, std::string_view before) {
  struct Code {
    std::vector<std::string_view> code, whole;
    std::vector<uint32_t> numbers;
    explicit Code(std::string_view source) {
      uint32_t number = 0;
      for (const std::string_view line : lines_of(source)) {
        ++number;
        if (code_of(line).empty()) continue;
        code.push_back(code_of(line));
        whole.push_back(line);
        numbers.push_back(number);
      }
    }
  };
  const Code a(before), b(now);
  std::vector<DiffLine> lines;
  for (const Step& step : steps_between(a.code, b.code)) {
    if (step.kind == Kind::removed)
      lines.push_back({step.kind, a.numbers[step.before], a.whole[step.before]});
    else
      lines.push_back({step.kind, b.numbers[step.now], b.whole[step.now]});
  }
  return lines;
}

}  // namespace ridge::text
