// The differences between two versions of a source file, by a longest common subsequence of lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::text {

struct LineChange {
  int added = 0, removed = 0;
  bool operator==(const LineChange&) const = default;
};

LineChange count_changes(std::string_view before, std::string_view now);

// The changed lines with three unchanged lines around them, in the form of `diff -u` from the first
// "@@" on; empty when the texts are the same. `colour`: with the colour sequences of a terminal.
std::string unified_diff(std::string_view before, std::string_view now, bool colour);

// The code of a line, as far as one line shows it: without a `//` comment and surrounding blanks.
std::string_view code_of(std::string_view line);

struct DiffLine {
  enum class Kind : uint8_t { same, added, removed } kind = Kind::same;
  uint32_t line = 0;      // from 1: in `now`, or in `before` for a removed line
  std::string_view text;  // the whole line, without its end
};

// The differing lines of code, in the order of `now`; removed lines come before the added lines
// that replace them. Lines are compared by code_of(): comments and indentation are ignored, and
// lines without code are left out. Views into both texts.
std::vector<DiffLine> code_difference(std::string_view now, std::string_view before);

}  // namespace ridge::text
