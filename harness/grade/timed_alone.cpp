#include "harness/grade/timed_alone.h"

#include <fmt/format.h>

#include "harness/grade/child_session.h"

namespace ridge::grade {

namespace {

// Clocks drop by some percent under load, and two processes get different pages of memory. Calling
// the library secretly must gain more than this to be worthwhile.
constexpr double kMostSlower = 1.25, kRoomMs = 0.01;

// The time of many small launches is the host's, which differs by a third between processes at
// times. Code that needs the library is slow in each of them.
constexpr int kMostProcesses = 3;

// Long enough to distinguish a library's time from another.
constexpr measure::RoundLimits kLimits = {.warm_up_seconds = 0.5,
                                          .fewest = 4,
                                          .least_seconds = 0.2,
                                          .most_seconds = 3,
                                          .noise = 0.05,
                                          .most_warm_up_seconds = 2,
                                          .usual_seconds = 1};

}  // namespace

bool brings_code(std::string_view baseline) {
  const runner::BaselineKind& kind = runner::find_baseline(baseline);
  return kind.library || !kind.module.empty();
}

std::optional<Outcome> check_time_alone(const Measured& with_library, const Measured& alone,
                                        std::string_view library) {
  if (alone.time_ms <= kMostSlower * with_library.time_ms + kRoomMs / with_library.in_a_row) return std::nullopt;
  return outcome_with({"suspect.uses_the_library",
                       {{"beside_ms", fmt::format("{:.4f}", with_library.time_ms)},
                        {"library", library},
                        {"alone_ms", fmt::format("{:.4f}", alone.time_ms)}}});
}

std::optional<Outcome> check_processes(const Measured& with_library, std::string_view library,
                                       const std::function<TimedGrade()>& time_in_process) {
  std::optional<Outcome> outcome;
  for (int process = 0; process < kMostProcesses; ++process) {
    const TimedGrade timed = time_in_process();
    outcome =
        timed.outcome ? timed.outcome : check_time_alone(with_library, timed.measured, library);
    if (!outcome || timed.outcome) break;
  }
  return outcome;
}

namespace {

TimedGrade time_in_process(const AloneWork& alone, TimedWork work) {
  const std::string library(runner::find_baseline(work.baseline).words);
  runner::SessionOptions options =
      child_session(alone.installation, alone.engine, alone.libraries, alone.scratch / "alone");
  options.hidden = runner::library_files(alone.libraries);
  options.readable = {alone.compiled.object};
  work.baseline = "device_copy";
  work.modules.baseline.clear();
  work.second = {};
  work.modules.second.clear();
  for (const std::filesystem::path& file : work.modules.files())
    options.readable.push_back(file);
  work.seed = ~work.seed;
  // Detects code that, without the library, skips half of the calls to be fast enough.
  work.compares_all_slots = false;
  work.rounds_per_comparison = 2;
  work.most_checking_seconds = 1;
  work.tries_other_data = false;  // done with the library present
  if (work.limits.warm_up_seconds > kLimits.warm_up_seconds) work.limits = kLimits;
  work.stages = nullptr;  // this run is one stage
  if (work.progress) work.progress(fmt::format("timing once more, where there is no {}", library));

  runner::Session session(options);
  const CaseChecker checker(session, options.report_file, kCallLimitSeconds);
  TimedGrade timed;
  if (auto failure = session.load(alone.compiled.object, alone.entry, *work.problem))
    timed.outcome = checker.explain(*failure, "while it was loaded");
  else
    timed = time_on_gpu(session, checker, work);
  if (timed.outcome) {
    timed.outcome->summary +=
        fmt::format(" That was in a second process, where {} was never loaded.", library);
    return timed;
  }
  std::vector<std::string> modules;
  for (const std::filesystem::path& file : work.modules.files())
    modules.push_back(std::filesystem::weakly_canonical(file).string());
  if (const std::string change = session.what_changed({false, alone.host_functions, modules});
      !change.empty())
    timed.outcome = outcome_with(
        {"suspect.second_process_changed", {{"library", library}, {"change", change}}});
  return timed;
}

}  // namespace

std::optional<Outcome> time_alone(const AloneWork& alone, const TimedWork& work,
                                  const Measured& with_library) {
  return check_processes(with_library, runner::find_baseline(work.baseline).words,
                         [&] { return time_in_process(alone, work); });
}

}  // namespace ridge::grade
