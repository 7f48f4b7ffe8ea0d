// Lays out watch mode's screen for a terminal of any size. Pure: text in, lines out.
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
  std::string place;        // "rung 3 of 10", right of the title if there is room
  std::string status;       // "watching labs/…", "checking 7 of 19: n = 33"
  std::string idea;         // of the rung
  std::string extra;        // a hint, the list of rungs or of keys: the answer to the last key
  bool extra_first = true;  // before the result, or after it
  std::string result;       // of the last grading
  std::optional<grade::ErrorMap> error_map;  // shown below the result
  std::string trend;                         // one line
  std::string notice;                        // one or two sentences
  std::string question;                      // shown instead of the keys
  bool may_go_next = false;
  bool may_submit = false;  // the clone has joined a class
};

struct Frame {
  std::vector<std::string> lines;  // at most as many as the terminal has
  size_t first = 0,
         last_first = 0;  // the first visible line of the body, and its maximum
  size_t page = 0;        // visible lines of the body
};

// `first`: index in the body's folded lines.
Frame compose(const WatchView& view, size_t rows, const report::Style& style, size_t first);

}  // namespace ridge::cli
