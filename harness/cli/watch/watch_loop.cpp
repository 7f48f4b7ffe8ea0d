#include "harness/cli/watch/watch_loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "harness/cli/class/submission.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/grade/bench.h"
#include "harness/report/store/json.h"
#include "harness/report/tables/trend.h"
#include "harness/report/text/bench_text.h"
#include "harness/report/text/text.h"
#include "text/whole_file.h"

namespace ridge::cli {
namespace {

using namespace std::chrono_literals;

// Editors write, sync and rename within some tens of milliseconds; 100 ms are not noticeable.
constexpr auto kSettle = 100ms;
// Some editors empty the file or move it away before they write it. If it stays so, it is used as
// it is.
constexpr auto kLongestSave = 2s;
// Polling interval for file systems without events.
constexpr int kLookMs = 1000;
// The bytes of an arrow key arrive together; an ESC without a follower after this time is the key
// Esc.
constexpr int kSequenceMs = 60;

// So wide that no line is broken: the frame breaks lines at the current width of the terminal.
constexpr int kUnbroken = 100000;

// The chapters to read before a rung, as far as the clone has them, as one line; "" without any.
std::string reading_for(const course::Course& course, const course::Rung& rung,
                        const std::filesystem::path& root) {
  const bool is_first = &rung == &course.labs.front().rungs.front();
  std::string text;
  for (const std::string& name :
       {is_first ? std::string("00-how-a-gpu-waits") : std::string(), rung.lab}) {
    const std::filesystem::path chapter = std::filesystem::path("course/chapters") / (name + ".md");
    std::error_code ignored;
    if (!name.empty() && std::filesystem::exists(root / chapter, ignored))
      text += (text.empty() ? "\nTo read: " : ", ") + chapter.string();
  }
  return text;
}

// The parent's view of a grading. The error map is passed unformatted, since each frame lays it out
// for its own width.
nlohmann::json shown(report::Graded graded, const report::Style& style) {
  nlohmann::json answer = {{"passed", grade::passed(graded.result.verdict)}};
  if (graded.result.error_map)
    answer["error_map"] = report::error_map_json(*graded.result.error_map);
  graded.result.error_map.reset();
  answer["text"] = report::show(graded, style);
  return answer;
}

}  // namespace

WatchLoop::WatchLoop(std::filesystem::path root)
    : root_(std::move(root)), course_(course::load(root_)), screen_(terminal_) {}

// The store is opened for each action, because none may be open when work_ forks.
bool WatchLoop::with_store(const std::function<void(report::Store&)>& action) {
  Records records(root_, [this](const std::string& warning) { view_.notice = warning; });
  return records.with(action);
}

const course::Rung* WatchLoop::first_unfinished(const std::string& name) {
  std::vector<const course::Rung*> rungs;
  if (!name.empty()) {
    rungs = course::find(course_, name);
  } else {
    for (const course::Lab& lab : course_.labs)
      for (const course::Rung& rung : lab.rungs)
        rungs.push_back(&rung);
  }
  if (rungs.size() == 1) return rungs.front();
  std::map<std::string, report::RungRecord> progress;
  with_store([&](report::Store& store) { progress = store.records(); });
  for (const course::Rung* rung : rungs)
    if (!progress[rung->path()].passed) return rung;
  view_.notice = "Every rung passes. This is the last one; l lists them all.";
  return rungs.back();
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

std::string WatchLoop::shown_name(const std::filesystem::path& file) const {
  return file.lexically_relative(root_).string();
}

void WatchLoop::look_into_store() {
  with_store([&](report::Store& store) {
    passed_ |= store.records()[rung_->path()].passed;
    std::vector<report::PastRun> runs;
    for (const report::StoredRun& run :
         store.runs({.rung = rung_->path(), .newest = report::kTrendRuns}))
      runs.push_back(report::past_run(run));
    view_.trend = report::trend_line(runs, report::style_of(STDOUT_FILENO));
  });
  view_.may_go_next = passed_ && after(rung_);
}

void WatchLoop::begin(const course::Rung* rung) {
  rung_ = rung;
  watch_ = std::make_unique<text::FileWatch>(rung->skeleton, text::FileWatch::Events::every_write);
  settles_at_.reset();
  waiting_key_ = 0;
  passed_ = false;
  view_.result.clear();
  view_.error_map.reset();
  view_.extra.clear();
  look_into_store();
  size_t all = 0, number = 0;
  for (const course::Lab& lab : course_.labs) {
    for (const course::Rung& other : lab.rungs) {
      ++all;
      if (&other == rung) number = all;
    }
  }
  view_.title = fmt::format("{}  {}", rung->path(), rung->title);
  view_.place = fmt::format("rung {} of {}", number, all);
  view_.idea = rung->idea + reading_for(course_, *rung, root_);
  view_.may_submit = leaderboard::read_membership(root_).has_value();
  screen_.scroll_to_top();
  start_grade();
}

std::string WatchLoop::status() const {
  if (doing_ == Doing::nothing)
    return fmt::format("Edit {} and save it: every save is graded.", shown_name(rung_->skeleton));
  const char* what = doing_ == Doing::tracing      ? "tracing"
                     : doing_ == Doing::measuring  ? "measuring"
                     : doing_ == Doing::submitting ? "submitting"
                                                   : "grading";
  return progress_.empty() ? fmt::format("{} {} …", what, shown_name(rung_->skeleton))
                           : fmt::format("{}: {}", what, progress_);
}

void WatchLoop::start_work(Doing what, const WorkProcess::Work& work) {
  work_.cancel();
  watch_->changed();  // this grading includes all saves up to now
  settles_at_.reset();
  progress_.clear();
  try {
    text_at_work_ = text::read_file(rung_->skeleton);
    work_.start(work);
    doing_ = what;
  } catch (const std::exception& error) {
    doing_ = Doing::nothing;
    view_.notice = error.what();
  }
}

void WatchLoop::start_grade() {
  report::Style style = report::style_of(STDOUT_FILENO);
  if (screen_.full()) style.width = kUnbroken;
  start_work(Doing::grading, [this, style](const WorkProcess::Report& progress) {
    Records records(root_);
    nlohmann::json answer =
        shown(grade_and_record(*rung_, false, grade::Engine::automatic, records, progress), style);
    return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

void WatchLoop::start_bench() {
  report::Style style = report::style_of(STDOUT_FILENO);
  if (screen_.full()) style.width = kUnbroken;
  start_work(Doing::measuring, [this, style](const WorkProcess::Report& progress) {
    grade::BenchRequest request;
    request.rung = rung_;
    request.source = rung_->skeleton;
    request.cache = cache_folder(*rung_);
    request.progress = progress;
    const grade::Bench bench = grade::bench(request);
    const std::string text =
        bench.outcome ? fmt::format("{}  {}\n{}\n{}", grade::to_string(bench.outcome->verdict),
                                  bench.outcome->summary, bench.outcome->next, bench.outcome->detail)
                    : report::bench_table(bench, style);
    nlohmann::json answer = {{"text", text}};
    return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

void WatchLoop::start_trace() {
  report::Style style = report::style_of(STDOUT_FILENO);
  if (screen_.full()) style.width = kUnbroken;
  start_work(Doing::tracing, [this, style](const WorkProcess::Report& progress) {
    const auto file = default_trace_file(root_, *rung_, false);
    const Traced traced = trace_rung(*rung_, {}, file, progress);
    nlohmann::json answer;
    if (traced.bytes == 0) {
      answer = shown(traced.graded, style);
      answer.erase("passed");
      answer["notice"] = "No trace was written: the kernel did not get that far.";
    } else {
      answer = {{"notice",
                 fmt::format("Trace: {} ({}); v shows it.", shown_name(file), traced.contents)}};
    }
    return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

void WatchLoop::start_submit() {
  report::Style style = report::style_of(STDOUT_FILENO);
  if (screen_.full()) style.width = kUnbroken;
  start_work(Doing::submitting, [this, style](const WorkProcess::Report& progress) {
    nlohmann::json answer;
    try {
      const leaderboard::Membership own = own_membership();
      Submission submission{rung_, text::read_file(rung_->skeleton)};
      with_store(
          [&](report::Store& store) { submission.hints_shown = store.hints_used(rung_->path()); });
      const HandedIn received = hand_in(own, submission);
      const nlohmann::json done = follow(own, received.number, [&](std::string_view words) {
        progress(fmt::format("submission {}: {}", received.number, words));
      });
      answer = {{"text", verdict_text(done, received, *rung_, style)},
                {"notice", received.sentence()}};
    } catch (const std::exception& error) {
      answer = {{"notice", fmt::format("ridge: {}", error.what())}};
    }
    return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

void WatchLoop::on_save_settled() {
  settles_at_.reset();
  std::error_code error;
  const auto size = std::filesystem::file_size(rung_->skeleton, error);
  if ((error || size == 0) && Clock::now() < saved_at_ + kLongestSave) {
    settles_at_ = Clock::now() + kSettle;
    return;
  }
  std::string text;
  try {
    text = text::read_file(rung_->skeleton);
  } catch (const std::exception& gone) {
    view_.notice = fmt::format("{}; x puts the skeleton there.", gone.what());
    return;
  }
  // Saved without a change: the running grading already uses this text.
  if (work_.busy() && text == text_at_work_) return;
  view_.notice = !work_.busy() ? ""
                 : doing_ == Doing::submitting
                     ? "Saved again; the server grades what was handed in."
                     : "Saved again: the grading of the previous version was cancelled.";
  waiting_key_ = 0;
  start_grade();
}

void WatchLoop::on_news() {
  const WorkProcess::News news = work_.take();
  if (!news.progress.empty()) progress_ = news.progress;
  if (!news.said.empty()) view_.notice = news.said;
  if (news.ended) on_end(news);
}

void WatchLoop::on_end(const WorkProcess::News& news) {
  doing_ = Doing::nothing;
  progress_.clear();
  if (!news.result) {
    view_.notice = fmt::format("ridge: {}. Save again to grade again.", news.failure);
    waiting_key_ = 0;
    return;
  }
  const auto answer = nlohmann::json::parse(*news.result, nullptr, false);
  if (answer.contains("text")) {
    view_.result = answer["text"].get<std::string>();
    view_.error_map.reset();
    if (answer.contains("error_map")) view_.error_map = report::error_map_from(answer["error_map"]);
    view_.extra_first = false;
    screen_.scroll_to_top();
  }
  if (answer.contains("notice")) view_.notice = answer["notice"].get<std::string>();
  const bool passes = answer.value("passed", false);
  passed_ |= passes;
  look_into_store();
  if (passes)
    view_.notice =
        view_.may_go_next ? "Press n for the next rung." : "That was the last rung of the course.";
  if (const int key = std::exchange(waiting_key_, 0)) on_key(key);
}

int WatchLoop::milliseconds_to_wait() const {
  if (decoder_.waiting()) return kSequenceMs;
  if (!settles_at_) return kLookMs;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*settles_at_ - Clock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count()));
}

std::string WatchLoop::farewell() {
  size_t done = 0, all = 0;
  std::map<std::string, report::RungRecord> progress;
  with_store([&](report::Store& store) { progress = store.records(); });
  for (const course::Lab& lab : course_.labs) {
    all += lab.rungs.size();
    for (const course::Rung& rung : lab.rungs)
      done += progress[rung.path()].passed;
  }
  if (done == all) return fmt::format("All {} rungs pass.\n", all);
  return fmt::format("{} of {} rungs pass; ./ridge goes on with {}.\n", done, all,
                     first_unfinished()->path());
}

int WatchLoop::run(const std::string& name) {
  begin(first_unfinished(name));
  std::optional<int> status;
  while (!status) {
    view_.status = this->status();
    view_.question =
        asking_reset_ ? "Put the skeleton back? Your version is kept beside it. [y/n]" : "";
    screen_.show(view_);
    pollfd waits[] = {{terminal_.signals(), POLLIN, 0},
                      {STDIN_FILENO, POLLIN, 0},
                      {work_.descriptor(), POLLIN, 0},
                      {watch_->descriptor(), POLLIN, 0}};
    const int ready = poll(waits, std::size(waits), milliseconds_to_wait());
    if (ready < 0 && errno != EINTR)
      throw MachineError("waiting for keys failed: " + std::string(strerror(errno)));
    char bytes[256];
    while (!status && read(terminal_.signals(), bytes, 1) == 1)
      status = on_signal(bytes[0]);
    if (status) break;
    if (ready == 0) {
      for (const int key : decoder_.give_up())
        if (!status) status = on_key(key);
    }
    if (ready > 0 && waits[1].revents != 0) {
      const ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
      if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN))
        status = kPassed;  // the terminal is gone
      for (const int key : decoder_.feed({bytes, static_cast<size_t>(std::max<ssize_t>(size, 0))}))
        if (!status) status = on_key(key);
    }
    if (!status && work_.busy()) on_news();
    if (!status && watch_->changed()) {
      if (!settles_at_) saved_at_ = Clock::now();
      settles_at_ = Clock::now() + kSettle;
    }
    if (!status && settles_at_ && Clock::now() >= *settles_at_) on_save_settled();
  }
  work_.cancel();  // it writes in one transaction, so nothing is left half-written
  terminal_.restore();
  if (*status == kPassed) fmt::print("{}", farewell());
  return *status;
}

}  // namespace ridge::cli
