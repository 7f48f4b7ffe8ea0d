// Grades on a GPU: student and baseline in alternating rounds.
#pragma once

#include "harness/grade/correctness.h"
#include "harness/grade/grade.h"
#include "harness/measure/rounds.h"
#include "harness/measure/stage_clock.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

// Compiled files that the child opens in addition to the student's: they must be readable in its
// session.
struct Modules {
  std::filesystem::path timing,
      baseline;         // empty: timed without a gate, and roofs are not measured; not needed
  std::filesystem::path second = {};  // of the second baseline
  // Nvcc's message when the baseline does not compile because its headers are missing.
  std::string missing;
  std::string missing_baseline;  // the baseline whose module that is
  std::vector<std::filesystem::path> files() const;
};
// `second`: the second baseline, or "".
Modules compile_modules(const std::string& baseline, const std::filesystem::path& cache,
                        const std::string& architecture, const std::string& second = "");

struct TimedWork {
  const problems::Problem* problem = nullptr;
  problems::Sizes sizes;
  std::string baseline;  // a name in harness/runner/baselines.h
  course::SecondBaseline second = {};
  int in_a_row = 1;     // calls of a sample (course::Rung::calls_in_a_row)
  bool capture = true;  // rows as graphs, where they can be captured
  runner::Gpu gpu;
  uint64_t seed = 0;
  Modules modules;
  std::function<void(std::string_view)> progress;  // may be empty
  measure::StageClock* stages = nullptr;           // receives the stages; may be null
  measure::RoundLimits limits;
  // The host's clock, and the time of a pass: from the child and our own clock, unless a test
  // provides a script.
  std::function<double()> seconds = measure::host_seconds;
  std::function<runner::PassRun(runner::PassRun, bool student)> clock = {};
  // False: a first comparison of candidates instead of a grade. Answers are not checked while
  // timing, no reference is computed, and the device's roofs are not measured.
  bool thorough = true;
  // True: after the first and the last round the answers of all slots are compared; false: those of
  // one slot that the child cannot predict. In the rounds between, the answer of one slot is
  // compared at random, once in `rounds_per_comparison` rounds, for a limited time.
  bool compares_all_slots = true;
  uint64_t rounds_per_comparison = 8;
  double most_checking_seconds = 2;
  // For a problem with more operations only some rows of an answer are compared.
  double most_reference_operations = 1e10;
  // At the end, calls on unseen data must take the same time; code that caches answers by inputs is
  // slower there.
  bool tries_other_data = true;
};

struct TimedGrade {
  std::optional<Outcome>
      outcome;  // wrong answers while timed, inconsistent clocks, a missing library
  Measured measured;
  double floor_ms = 0;  // the shortest possible time for the bytes and operations; 0: unknown
};

// Requires that the session has loaded the student's file.
TimedGrade time_on_gpu(runner::Session& session, const CaseChecker& checker, const TimedWork& work);

// Times the baseline alone and compares its answers with the reference; the results are in
// baseline_ms and the rates.
TimedGrade time_baseline(runner::Session& session, const CaseChecker& checker, const TimedWork& work);

// PASS, GOLD, SLOW or SUSPECT, with its sentences.
Outcome judge(const TimedGrade& timed, const course::Target& target);

}  // namespace ridge::grade
