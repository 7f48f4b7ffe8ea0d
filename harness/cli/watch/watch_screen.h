// Draws watch mode's view on the terminal. Only the changed lines of a frame are sent, in one
// write. If the terminal cannot position text (TERM=dumb) or the output is not a terminal, new text
// is printed line by line.
#pragma once

#include "harness/cli/watch/key_terminal.h"
#include "harness/cli/watch/watch_frame.h"

namespace ridge::cli {

class WatchScreen {
 public:
  explicit WatchScreen(KeyTerminal& terminal);
  bool full() const { return full_; }
  void show(const WatchView& view);
  void repaint();  // the next show() sends every line: after a resize, a stop, Ctrl-L
  // Scrolls the body. Pages overlap by one line.
  void scroll_lines(int by);
  void scroll_pages(int by);
  void scroll_to_top() { first_ = 0; }
  void scroll_to_end() { first_ = SIZE_MAX; }

 private:
  void show_plain(const WatchView& view);
  KeyTerminal& terminal_;
  bool full_;
  size_t first_ = 0, last_first_ = 0, page_ = 0;
  std::vector<std::string> shown_;
  WatchView said_;  // without positioning: what was printed last
};

}  // namespace ridge::cli
