// Watch mode: grades at every save and handles single keys.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "harness/cli/rung_work.h"
#include "harness/cli/watch/key_decoder.h"
#include "harness/cli/watch/key_terminal.h"
#include "harness/cli/watch/watch_screen.h"
#include "harness/cli/watch/work_process.h"
#include "text/file_watch.h"

namespace ridge::cli {

class WatchLoop {
 public:
  explicit WatchLoop(std::filesystem::path root);
  // Begins with the first unfinished rung of those that `name` says: a rung, a lab, or the whole course
  // if it is empty. Returns the exit status; throws course::NotFound for a name that the course does not have.
  int run(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Doing { nothing, grading, measuring, tracing, submitting };

  // Searches the rungs that `name` stands for; an empty name stands for the whole course.
  const course::Rung* first_unfinished(const std::string& name = {});
  const course::Rung* after(const course::Rung* rung) const;
  void begin(const course::Rung* rung);
  void look_into_store();  // whether the rung has passed before, and the trend
  bool with_store(const std::function<void(report::Store&)>& action);

  std::optional<int> on_signal(int signal);
  std::optional<int> on_key(int key);
  void on_save_settled();
  void on_news();
  void on_end(const WorkProcess::News& news);

  void start_work(Doing what, const WorkProcess::Work& work);
  void start_grade();
  void start_bench();  // as `ridge bench`: without grading
  void start_trace();
  void start_submit();  // as `ridge submit`, until the server's verdict
  void go_next();
  void show_hint();
  void show_list();
  void show_keys();
  void show_extra(std::string text);
  void open_view();
  void answer_reset(int key);
  bool scroll(int key);
  std::string status() const;
  std::string shown_name(const std::filesystem::path& file) const;
  int milliseconds_to_wait() const;
  std::string farewell();

  std::filesystem::path root_;
  course::Course course_;
  KeyTerminal terminal_;
  WatchScreen screen_;
  KeyDecoder decoder_;
  WorkProcess work_;
  Doing doing_ = Doing::nothing;
  std::string progress_;
  std::string text_at_work_;  // content of the file when the work began
  WatchView view_;
  const course::Rung* rung_ = nullptr;
  std::unique_ptr<text::FileWatch> watch_;
  std::optional<Clock::time_point> settles_at_;  // when the last save is complete
  Clock::time_point saved_at_{};                 // when the save was first seen
  int waiting_key_ = 0;                          // n, b, t or u, pressed during a grading
  bool passed_ = false;                          // the current rung has passed at some time
  bool asking_reset_ = false;
};

}  // namespace ridge::cli
