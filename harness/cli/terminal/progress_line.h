// One line on standard error that is overwritten repeatedly; only on a terminal.
#pragma once

#include <string_view>

namespace ridge::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  void show(std::string_view text);
  void clear();

 private:
  bool terminal_, shown_ = false;
};

}  // namespace ridge::cli
