// What changed between two versions of a source: lines of code, whatever their indent; comments and empty
// lines are not compared, for they cost nothing. (report/source_diff asks git, in a process of its own, for
// whole texts: git knows no comments of C++, and no picture should wait for a process.)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::view {

// Without the ends of lines; a last empty one is none.
std::vector<std::string_view> lines_of(std::string_view text);
// What nvcc sees of a line, as far as one line tells: without `//`, what follows it, and blanks around it.
std::string_view code_of(std::string_view line);

struct DiffLine {
  enum class Kind : uint8_t { same, added, removed } kind = Kind::same;
  uint32_t line = 0;      // from 1: of `now`, or of `before` where it was removed
  std::string_view text;  // as it stands there
};

// Lines of code, in order: those of `now`, with those of `before` that are gone before what came instead.
// Views of both texts.
std::vector<DiffLine> source_difference(std::string_view now, std::string_view before);

}  // namespace ridge::view
