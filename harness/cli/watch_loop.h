// Watch mode: grades at every save and listens to single keys.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "harness/cli/background.h"
#include "harness/cli/file_watch.h"
#include "harness/cli/key_terminal.h"
#include "harness/cli/progress_line.h"
#include "harness/cli/rung_work.h"
#include "harness/report/terminal.h"

namespace ridge::cli {

class WatchLoop {
 public:
  explicit WatchLoop(std::filesystem::path root);
  int run();  // the exit status

 private:
  using Clock = std::chrono::steady_clock;
  const course::Rung* first_unfinished();
  const course::Rung* after(const course::Rung* rung) const;
  void begin(const course::Rung* rung);
  void say(const std::string& text);  // above the line of keys
  void prompt();

  std::optional<int> on_signal(int signal);
  std::optional<int> on_key(char key);
  void on_save_settled();
  void on_news();

  void start_grade(grade::Engine engine);
  void start_trace();
  void go_next();
  void show_hint();
  void show_list();
  void answer_reset(char key);
  [[noreturn]] void leave(int status);

  std::filesystem::path root_;
  course::Course course_;
  Records records_;
  KeyTerminal terminal_;
  Background work_;
  ProgressLine line_;
  const course::Rung* rung_ = nullptr;
  std::unique_ptr<FileWatch> watch_;
  std::optional<Clock::time_point> settles_at_;  // when the last save counts as complete
  bool grade_again_ = false;                     // saved while a grade ran
  bool passed_ = false;                          // the current rung, ever
  bool asking_reset_ = false;
};

}  // namespace ridge::cli
