#include "harness/cli/terminal/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "harness/cli/terminal/interruption.h"
#include "harness/report/text/terminal.h"

namespace ridge::cli {

ProgressLine::ProgressLine() : terminal_(isatty(2) == 1) {}

void ProgressLine::show(std::string_view text) {
  if (!terminal_) return;
  clear_line_when_interrupted(true);
  // A longer text would wrap in the terminal and could not be erased. A cut inside a character
  // shows nothing.
  const size_t room = static_cast<size_t>(report::style_of(2).width) - 1;
  fmt::print(stderr, "\r\x1b[2K{}", text.substr(0, room));
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[2K");
  std::fflush(stderr);
  shown_ = false;
  clear_line_when_interrupted(false);
}

}  // namespace ridge::cli
