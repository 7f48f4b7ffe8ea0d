// The grade on a GPU: student and baseline in alternating rounds.
#pragma once

#include "harness/grade/correctness.h"
#include "harness/grade/grade.h"
#include "harness/measure/rounds.h"
#include "harness/measure/stage_clock.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

// Compiled files that the child opens beside the student's: they must be readable to its session.
struct Modules {
  std::filesystem::path timing,
      baseline;         // empty: timed without a gate, and roofs are not measured; not needed
  std::string missing;  // nvcc's words, where it could not compile the baseline's: its headers are not there
  std::vector<std::filesystem::path> files() const;
};
Modules compile_modules(const std::string& baseline, const std::filesystem::path& cache,
                        const std::string& architecture);

struct TimedWork {
  const problems::Problem* problem = nullptr;
  problems::Sizes sizes;
  std::string baseline;  // a name of harness/runner/baselines.h
  runner::Gpu gpu;
  uint64_t seed = 0;
  Modules modules;
  std::function<void(std::string_view)> progress;  // may be empty
  measure::StageClock* stages = nullptr;           // is told what goes on; may be null
  measure::RoundLimits limits;
  // The host's clock, and what a pass took: as the child and our own clock say, unless a test has a script.
  std::function<double()> seconds = measure::host_seconds;
  std::function<runner::PassRun(runner::PassRun, bool student)> clock = {};
  // False: a first sorting of candidates, no grade: nobody looks at the answers while it is timed, no
  // reference is worked out, and the device's roofs are not measured.
  bool thorough = true;
  // After the first and the last round the answers of all slots are compared, or of one slot that the child
  // cannot know; in between, by chance once in so many rounds, that of one slot, up to so many seconds.
  bool compares_all_slots = true;
  uint64_t rounds_per_comparison = 8;
  double most_checking_seconds = 2;
  // Of a problem with more operations some rows of an answer are compared, and not all.
  double most_reference_operations = 1e10;
  // When all is measured, data that was never seen must take as long: who keeps answers by what the inputs
  // are loses by it.
  bool tries_other_data = true;
};

struct TimedGrade {
  std::optional<Outcome>
      outcome;  // wrong answers while timed, clocks that disagree, a library that is not there
  Measured measured;
  double floor_ms = 0;  // the shortest time the bytes and operations can take; 0: not known
};

// The session must have loaded the student's file.
TimedGrade time_on_gpu(runner::Session& session, const CaseChecker& checker, const TimedWork& work);

// The baseline alone, its answers compared with the reference: what is measured is in baseline_ms and the
// rates.
TimedGrade time_baseline(runner::Session& session, const CaseChecker& checker, const TimedWork& work);

// PASS, GOLD, SLOW or SUSPECT, in words.
Outcome judge(const TimedGrade& timed, const course::Target& target);

}  // namespace ridge::grade
