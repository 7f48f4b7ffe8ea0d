// What watch mode shows, laid out for a terminal of any size. Pure: text in, lines out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/grade/findings/error_map.h"
#include "harness/report/text/terminal.h"

namespace ridge::cli {

struct WatchView {
  std::string title;        // "01-kernel-basics/1-vector-add  Vector add"
  std::string place;        // "rung 3 of 10", right of the title where there is room
  std::string status;       // "watching labs/…", "checking 7 of 19: n = 33"
  std::string idea;         // of the rung
  std::string extra;        // a hint, the list, the keys: what the last key asked for
  bool extra_first = true;  // above the result, or below it
  std::string result;       // of the last grading
  std::optional<grade::ErrorMap> error_map;  // below it
  std::string trend;                         // a line
  std::string notice;                        // a sentence or two
  std::string question;                      // takes the place of the keys
  bool may_go_next = false;
  bool may_submit = false;  // the clone has joined a class
};

struct Frame {
  std::vector<std::string> lines;  // as many as the terminal has, or fewer
  size_t first = 0,
         last_first = 0;  // the body's first line shown, and the furthest it can be scrolled to
  size_t page = 0;        // lines of the body that are shown
};

// `first`: of the body, counted in folded lines.
Frame compose(const WatchView& view, size_t rows, const report::Style& style, size_t first);

}  // namespace ridge::cli
