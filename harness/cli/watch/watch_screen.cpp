#include "harness/cli/watch/watch_screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "text/layout.h"

namespace ridge::cli {
namespace {

void write_whole(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait{STDOUT_FILENO, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return;  // the terminal is closed; reading keys will report it
    }
  }
}

// After a line that fills the row the cursor is still on its last character, which the sequence
// would erase.
const char* rest_of(const std::string& line, const report::Style& style) {
  return text::columns_of(line) < size_t(style.width) ? "\x1b[K" : "";
}

bool places_text() {
  const char* name = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && name && *name && std::string_view(name) != "dumb";
}

size_t rows_now() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

// The terminal's actual width; report::style_of() returns at least 40.
int columns_now() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

WatchScreen::WatchScreen(KeyTerminal& terminal) : terminal_(terminal), full_(places_text()) {
  if (full_) terminal_.full_screen();
}

void WatchScreen::repaint() {
  shown_.clear();
}

void WatchScreen::scroll_lines(int by) {
  const auto at = static_cast<long>(std::min(first_, last_first_)) + by;
  first_ = static_cast<size_t>(std::clamp<long>(at, 0, static_cast<long>(last_first_)));
}

void WatchScreen::scroll_pages(int by) {
  scroll_lines(by * std::max(1, static_cast<int>(page_) - 1));
}

void WatchScreen::show(const WatchView& view) {
  if (!full_) {
    show_plain(view);
    return;
  }
  report::Style style = report::style_of(STDOUT_FILENO);
  style.width = std::max(columns_now(), 10);
  Frame frame = compose(view, rows_now(), style, first_);
  first_ = frame.first;
  last_first_ = frame.last_first;
  page_ = frame.page;
  std::string changes;
  for (size_t i = 0; i < frame.lines.size(); ++i) {
    if (i >= shown_.size() || shown_[i] != frame.lines[i])
      changes += fmt::format("\x1b[{};1H{}\x1b[0m{}", i + 1, frame.lines[i], rest_of(frame.lines[i], style));
  }
  const bool all = shown_.empty();
  if (changes.empty()) return;
  if (all) changes += "\x1b[J";
  // Terminals that support the pair draw the changes between it at once; others ignore it.
  write_whole("\x1b[?2026h" + changes + "\x1b[?2026l");
  shown_ = std::move(frame.lines);
}

void WatchScreen::show_plain(const WatchView& view) {
  const auto say = [](const std::string& now, std::string& before) {
    if (now != before && !now.empty()) fmt::print("{}{}", now, now.back() == '\n' ? "" : "\n");
    before = now;
  };
  say(view.title, said_.title);
  say(view.idea, said_.idea);
  say(view.result, said_.result);
  say(view.trend, said_.trend);
  say(view.extra, said_.extra);
  say(view.notice, said_.notice);
  say(view.question, said_.question);
  std::fflush(stdout);
}

}  // namespace ridge::cli
