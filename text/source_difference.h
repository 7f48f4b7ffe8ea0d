// What changed between two versions of a source file: a longest common subsequence of its lines.
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

// The changed lines with three unchanged lines around them, in the form of `diff -u` from the first "@@" on;
// empty when the texts are the same. `colour`: with the colour sequences of a terminal.
std::string unified_diff(std::string_view before, std::string_view now, bool colour);

// What the compiler sees of a line, as far as one line tells: without `//`, what follows it, and the blanks
// around the rest.
std::string_view code_of(std::string_view line);

struct DiffLine {
  enum class Kind : uint8_t { same, added, removed } kind = Kind::same;
  uint32_t line = 0;      // from 1: of `now`, or of `before` where it was removed
  std::string_view text;  // the whole line, without its end
};

// The lines of code of both versions, in the order of `now`; removed lines come before the added lines that
// replace them. Lines are compared by code_of(): comments and indents make no difference, and lines without
// code are left out. Views into both texts.
std::vector<DiffLine> code_difference(std::string_view now, std::string_view before);

}  // namespace ridge::text
