#include "harness/cli/watch_loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "harness/cli/exit_status.h"
#include "harness/report/course_map.h"
#include "harness/report/text.h"

namespace ridge::cli {
namespace {

// Editors write, sync and rename within some tens of milliseconds; a person does not notice 100.
constexpr auto kSettle = std::chrono::milliseconds(100);
// How often a file system that sends no events is looked at.
constexpr int kLookMs = 1000;

const char* const kKeys =
    "  n  the next rung, after a pass        h  the next hint\n"
    "  b  measure on a GPU                   t  trace on the virtual GPU\n"
    "  v  view the trace                     l  list the course\n"
    "  x  put the skeleton back              q  quit\n"
    "  Every save of the file grades it.\n";

}  // namespace

WatchLoop::WatchLoop(std::filesystem::path root)
    : root_(std::move(root)), course_(course::load(root_)), records_(root_) {}

const course::Rung* WatchLoop::first_unfinished() {
  std::map<std::string, report::RungRecord> progress;
  records_.with([&](report::Store& store) { progress = store.records(); });
  for (const course::Lab& lab : course_.labs) {
    for (const course::Rung& rung : lab.rungs) {
      if (!progress[rung.path()].passed) return &rung;
    }
  }
  say("Every rung passes. Watching the last one.\n");
  return &course_.labs.back().rungs.back();
}

const course::Rung* WatchLoop::after(const course::Rung* current) const {
  bool found = false;
  for (const course::Lab& lab : course_.labs) {
    for (const course::Rung& rung : lab.rungs) {
      if (found) return &rung;
      found = &rung == current;
    }
  }
  return nullptr;
}

void WatchLoop::say(const std::string& text) {
  line_.clear();
  fmt::print("{}", text);
  std::fflush(stdout);
}

void WatchLoop::prompt() {
  const report::Style style = report::style_of(2);
  if (asking_reset_) {
    line_.show("Put the skeleton back? Your version is kept beside it. [y/n]");
  } else if (!work_.busy()) {
    line_.show(
        fmt::format("watching {}   n h b t v l x q ?", rung_->path()).substr(0, size_t(style.width - 1)));
  }
}

void WatchLoop::begin(const course::Rung* rung) {
  rung_ = rung;
  watch_ = std::make_unique<FileWatch>(rung->skeleton);
  settles_at_.reset();
  grade_again_ = false;
  passed_ = false;
  records_.with([&](report::Store& store) { passed_ = store.records()[rung->path()].passed; });
  const report::Style style = report::style_of(1);
  say(fmt::format("\n{}  {}\n{}Edit {} and save it; ? shows the keys.\n\n",
                  style.paint(report::Colour::bold, rung->path()), rung->title,
                  report::wrapped(rung->idea, size_t(style.width), 2),
                  rung->skeleton.lexically_relative(root_).string()));
  start_grade(grade::Engine::automatic);
}

void WatchLoop::start_grade(grade::Engine engine) {
  const course::Rung* rung = rung_;
  watch_->changed();  // what was saved up to now is in this grade
  work_.start([this, rung, engine](const Background::Report& progress) {
    Records records(root_);  // the loop's own is used by the loop
    const report::Graded graded = grade_and_record(*rung, false, engine, records, progress);
    passed_ = passed_ || grade::passed(graded.result.verdict);  // read by the loop after the work was joined
    std::string text = report::show(graded, report::style_of(1));
    if (grade::passed(graded.result.verdict)) text += "    Press n for the next rung.\n";
    return text;
  });
  line_.show(fmt::format("grading {} ...", rung->path()));
}

void WatchLoop::start_trace() {
  const course::Rung* rung = rung_;
  work_.start([this, rung](const Background::Report& progress) {
    const auto file = default_trace_file(root_, *rung, false);
    const Traced traced = trace_rung(*rung, false, file, "first,middle,last", progress);
    if (traced.bytes == 0) {
      return report::show(traced.graded, report::style_of(1)) + "No trace was written.\n";
    }
    return fmt::format("Trace: {} ({} bytes)\n", file.lexically_relative(root_).string(),
                       report::with_thousands(traced.bytes));
  });
  line_.show(fmt::format("tracing {} ...", rung->path()));
}

void WatchLoop::on_save_settled() {
  settles_at_.reset();
  if (work_.busy()) {
    grade_again_ = true;
  } else {
    start_grade(grade::Engine::automatic);
  }
}

void WatchLoop::on_news() {
  const Background::News news = work_.take();
  if (news.result) {
    say(*news.result + "\n");
    if (grade_again_) {
      grade_again_ = false;
      start_grade(grade::Engine::automatic);
    }
  } else if (!news.progress.empty() && !asking_reset_) {
    line_.show(fmt::format("{}: {}", rung_->path(), news.progress));
  }
}

void WatchLoop::go_next() {
  if (!passed_) {
    say("n goes on after a pass; h gives a hint.\n");
  } else if (const course::Rung* next = after(rung_)) {
    begin(next);
  } else {
    say("That was the last rung of the course.\n");
  }
}

void WatchLoop::show_hint() {
  say(next_hint(*rung_, records_));
}

void WatchLoop::show_list() {
  std::map<std::string, report::RungRecord> progress;
  records_.with([&](report::Store& store) { progress = store.records(); });
  say(report::show_course(course_, progress, report::style_of(1)));
}

void WatchLoop::answer_reset(char key) {
  if (key != 'y' && key != 'n' && key != 'q' && key != '\x1b') return;
  asking_reset_ = false;
  if (key != 'y') {
    say("Nothing was changed.\n");
    return;
  }
  try {
    const auto kept = reset_rung(root_, *rung_, records_);
    say(kept ? fmt::format("The skeleton is back; your version is {}\n",
                           kept->lexically_relative(root_).string())
             : std::string("The file is the skeleton already; nothing was changed.\n"));
  } catch (const std::exception& error) {
    say(fmt::format("ridge: {}\n", error.what()));
  }
}

std::optional<int> WatchLoop::on_key(char key) {
  if (asking_reset_) {
    answer_reset(key);
    return std::nullopt;
  }
  const bool starts_work = key == 'n' || key == 'b' || key == 't' || key == 'x';
  if (starts_work && work_.busy()) {
    say(fmt::format("{} waits until the grade is done; press it again then.\n", key));
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
      start_grade(grade::Engine::gpu);
      break;  // SKIPPED says what it needs
    case 't':
      start_trace();
      break;
    case 'v':
      say("v needs the visualizer, which this version does not have yet; t writes the trace it will open.\n");
      break;
    case 'l':
      show_list();
      break;
    case 'x':
      asking_reset_ = true;
      break;
    case '?':
      say(kKeys);
      break;
    case 'q':
      return kPassed;
    case '\x04':
      return kPassed;  // Ctrl-D
    default:
      break;
  }
  return std::nullopt;
}

std::optional<int> WatchLoop::on_signal(int signal) {
  switch (signal) {
    case SIGTSTP:
      line_.clear();
      terminal_.stop();
      return std::nullopt;
    case SIGCONT:
      terminal_.single_keys();
      return std::nullopt;
    case SIGWINCH:
      return std::nullopt;
    default:
      return 128 + signal;  // Ctrl-C is 130
  }
}

// A grade may be running: its thread cannot be stopped, but its processes end with this one, and what it
// would have written is one transaction.
void WatchLoop::leave(int status) {
  line_.clear();
  terminal_.restore();
  std::fflush(stdout);
  _exit(status);
}

int WatchLoop::run() {
  begin(first_unfinished());
  std::optional<int> status;
  while (!status) {
    prompt();
    int wait_ms = kLookMs;
    if (settles_at_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*settles_at_ - Clock::now());
      wait_ms = static_cast<int>(std::max<int64_t>(0, left.count()));
    }
    pollfd waits[] = {{terminal_.signals(), POLLIN, 0},
                      {STDIN_FILENO, POLLIN, 0},
                      {work_.descriptor(), POLLIN, 0},
                      {watch_->descriptor(), POLLIN, 0}};
    if (poll(waits, std::size(waits), wait_ms) < 0 && errno != EINTR) {
      throw MachineError("waiting for keys failed: " + std::string(strerror(errno)));
    }
    char byte = 0;
    while (!status && read(terminal_.signals(), &byte, 1) == 1)
      status = on_signal(byte);
    if (status) break;
    if (waits[1].revents != 0) {
      const ssize_t size = read(STDIN_FILENO, &byte, 1);
      if (size == 1) status = on_key(byte);
      if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN))
        status = kPassed;  // the terminal is gone
    }
    if (!status && waits[2].revents != 0) on_news();
    if (!status && watch_->changed()) settles_at_ = Clock::now() + kSettle;
    if (!status && settles_at_ && Clock::now() >= *settles_at_) on_save_settled();
  }
  if (work_.busy()) leave(*status);
  line_.clear();
  return *status;
}

}  // namespace ridge::cli
