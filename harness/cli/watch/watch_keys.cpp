// Handles keys and signals in watch mode.
#include <fmt/format.h>
#include <signal.h>

#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/tracing/visualizer_start.h"
#include "harness/cli/watch/watch_loop.h"
#include "harness/report/tables/course_map.h"

namespace ridge::cli {

void WatchLoop::go_next() {
  if (!passed_) {
    view_.notice = "n goes on after a pass; h gives a hint.";
  } else if (const course::Rung* next = after(rung_)) {
    work_.cancel();
    begin(next);
  } else {
    view_.notice = "That was the last rung of the course.";
  }
}

void WatchLoop::show_extra(std::string text) {
  // If the same text is set again, it is removed for a moment; otherwise a terminal that only
  // prints would not show it.
  view_.extra = std::move(text);
  view_.extra_first = true;
  screen_.scroll_to_top();
}

void WatchLoop::show_hint() {
  Records records(root_, [this](const std::string& warning) { view_.notice = warning; });
  show_extra(next_hint(*rung_, records, 1000));  // the frame folds it
}

void WatchLoop::show_list() {
  std::map<std::string, report::RungRecord> progress;
  with_store([&](report::Store& store) { progress = store.records(); });
  show_extra(report::show_course(course_, progress, report::style_of(STDOUT_FILENO),
                                 untouched_rungs(course_)));
}

void WatchLoop::show_keys() {
  std::string text =
      "n  the next rung, after a pass\n"
      "h  the next hint\n"
      "b  bench: this file over a range of sizes, as a table; nothing is graded\n"
      "t  trace on the virtual GPU\n"
      "v  view the trace\n"
      "u  hand this file in to your class, and follow the server's verdict\n"
      "l  list the course\n"
      "x  put the skeleton back (asks first)\n"
      "q  quit\n";
  if (screen_.full()) text += "↑ ↓ space, page up and down scroll; Esc puts this away\n";
  show_extra(
      text +
      "Every save of the file grades it; a newer save breaks off the grading of an older one.\n");
}

void WatchLoop::open_view() {
  const auto trace = newest_trace(root_, *rung_);
  view_.notice = start_visualizer(root_, trace, !trace.empty());
}

void WatchLoop::answer_reset(int key) {
  if (key != 'y' && key != 'Y' && key != 'n' && key != 'N' && key != 'q' && key != kEscape) return;
  asking_reset_ = false;
  if (key != 'y' && key != 'Y') {
    view_.notice = "Nothing was changed.";
    return;
  }
  try {
    const auto kept = [this] {
      Records records(root_, [this](const std::string& warning) { view_.notice = warning; });
      return reset_rung(root_, *rung_, records);
    }();
    view_.notice = kept && kept->empty() ? std::string("The skeleton is back.")
                   : kept
                       ? fmt::format("The skeleton is back; your version is {}", shown_name(*kept))
                       : std::string("The file is the skeleton already; nothing was changed.");
    if (!kept) return;
    watch_->changed();
    waiting_key_ = 0;
    start_grade();
  } catch (const std::exception& problem) {
    view_.notice = fmt::format("ridge: {}", problem.what());
  }
}

bool WatchLoop::scroll(int key) {
  switch (key) {
    case kUp:
      screen_.scroll_lines(-1);
      return true;
    case kDown:
      screen_.scroll_lines(1);
      return true;
    case kPageUp:
      screen_.scroll_pages(-1);
      return true;
    case kPageDown:
    case ' ':
      screen_.scroll_pages(1);
      return true;
    case kHome:
      screen_.scroll_to_top();
      return true;
    case kEnd:
      screen_.scroll_to_end();
      return true;
    default:
      return false;
  }
}

std::optional<int> WatchLoop::on_key(int key) {
  if (scroll(key)) return std::nullopt;
  if (asking_reset_) {
    answer_reset(key);
    return std::nullopt;
  }
  view_.notice.clear();
  const bool follows = key == 'b' || key == 't' || key == 'u' || (key == 'n' && !passed_);
  if (follows && work_.busy()) {
    waiting_key_ = key;
    view_.notice = fmt::format("{} follows when this grading has ended.", static_cast<char>(key));
    return std::nullopt;
  }
  switch (key) {
    case 'n':
      go_next();
      break;
    case 'h':
      show_hint();
      break;
    case 'b':
      start_bench();
      break;
    case 't':
      start_trace();
      break;
    case 'u':
      start_submit();
      break;
    case 'v':
      open_view();
      break;
    case 'l':
      show_list();
      break;
    case 'x':
      asking_reset_ = true;
      break;
    case '?':
      show_keys();
      break;
    case kEscape:
      view_.extra.clear();
      break;
    case '\x0c':  // Ctrl-L
      screen_.repaint();
      break;
    case 'q':
    case '\x04':  // Ctrl-D
      return kPassed;
    default:
      break;
  }
  return std::nullopt;
}

std::optional<int> WatchLoop::on_signal(int signal) {
  switch (signal) {
    case SIGTSTP:
      terminal_.stop();
      screen_.repaint();
      return std::nullopt;
    case SIGCONT:
      terminal_.single_keys();
      screen_.repaint();
      return std::nullopt;
    case SIGWINCH:
      screen_.repaint();
      return std::nullopt;
    default:
      return 128 + signal;  // Ctrl-C is 130
  }
}

}  // namespace ridge::cli
