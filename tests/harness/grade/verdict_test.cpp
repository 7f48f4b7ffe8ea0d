#include "harness/grade/verdict.h"

#include <set>
#include <stdexcept>

#include "harness/grade/findings/outcome.h"
#include "tests/catch.h"

using namespace ridge::grade;
namespace runner = ridge::runner;

TEST_CASE("verdicts and their names convert both ways") {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Verdict::skipped); ++i) {
    auto verdict = static_cast<Verdict>(i);
    CHECK(verdict_from(to_string(verdict)) == verdict);
    words.insert(to_string(verdict));
    CHECK(passed(verdict) == (verdict == Verdict::pass || verdict == Verdict::gold));
  }
  CHECK(words == std::set<std::string_view>{"COMPILE ERROR", "LAUNCH ERROR", "WRONG", "OUT OF BOUNDS", "RACE",
                                            "UNINITIALISED", "DEADLOCK", "TIMEOUT", "SLOW", "SUSPECT", "PASS",
                                            "GOLD", "SKIPPED"});
  CHECK_THROWS_AS(verdict_from("FINE"), std::invalid_argument);
}

TEST_CASE("each failure has its verdict and a next step") {
  using How = runner::ChildEnd::How;
  using Stage = runner::Failure::Stage;
  struct Row {
    runner::Failure failure;
    const char *found, *value;
  };
  const Row rows[] = {
      {{Stage::ended, 0, "", "", {How::exited, 0}}, "suspect.exited", ""},
      {{Stage::ended, 0, "", "", {How::exited, 3}}, "launch_error.exited", "exit status 3"},
      {{Stage::ended, 0, "", "", {How::signalled, 11}},
       "launch_error.crash_pointer",
       "signal 11 (Segmentation fault)"},
      {{Stage::ended, 0, "", "", {How::signalled, 6}}, "launch_error.crash_abort", "signal 6"},
      {{Stage::ended, 0, "", "", {How::timed_out, 0}}, "timeout.call", "10 seconds"},
      {{Stage::ended, 0, "", "", {How::malformed, 0}}, "suspect.runner_ended", "not one of the runner's"},
      {{Stage::launch, 9, "cudaErrorInvalidConfiguration", "x", {}}, "launch_error.configuration", ""},
      {{Stage::run, 700, "cudaErrorIllegalAddress", "x", {}}, "out_of_bounds.illegal_address", ""},
      {{Stage::run, 702, "cudaErrorLaunchTimeout", "x", {}}, "timeout.kernel_on_gpu", ""},
      {{Stage::run, 12345, "cudaErrorOdd", "x", {}}, "launch_error.run_failed", ""},
      {{Stage::launch, 12345, "cudaErrorOdd", "x", {}}, "launch_error.refused", ""},
      {{Stage::load, 0, "", "undefined symbol: f", {}}, "launch_error.load", ""},
      {{Stage::setup, 2, "cudaErrorMemoryAllocation", "x", {}}, "skipped.no_memory", ""},
      {{Stage::setup, 0, "", "std::bad_alloc", {}}, "skipped.no_memory", ""},
      {{Stage::setup, 700, "cudaErrorIllegalAddress", "an illegal memory access", {}},
       "skipped.not_prepared",
       ""},
      {{Stage::setup, 0, "", "NCCL: making communicators: status 2", {}}, "skipped.not_prepared", ""},
      {{Stage::missing, 0, "cuBLAS", "x", {}}, "skipped.no_library", "cuBLAS is needed"},
  };
  for (const Row& row : rows) {
    Outcome outcome = outcome_of(row.failure, "for n = 1", 10);
    INFO(outcome.summary);
    CHECK(outcome.finding == row.found);
    CHECK(outcome.verdict == Finding{row.found}.verdict());
    CHECK(outcome.summary.find(row.value) != std::string::npos);
    CHECK_FALSE(outcome.next.empty());
  }
}

TEST_CASE("a file that cannot be loaded is not reported as a kernel's failure") {
  using How = runner::ChildEnd::How;
  using Stage = runner::Failure::Stage;
  struct Row {
    runner::Failure failure;
    const char* found;
  };
  const Row rows[] = {
      {{Stage::ended, 0, "", "", {How::timed_out, 0}}, "timeout.load"},
      {{Stage::ended, 0, "", "", {How::signalled, 6}}, "launch_error.ended_at_load"},
      {{Stage::ended, 0, "", "", {How::over_limit, 0}}, "launch_error.ended_at_load"},
      {{Stage::ended, 0, "", "", {How::exited, 3}}, "launch_error.exited"},
      {{Stage::load, 0, "", "undefined symbol: f", {}}, "launch_error.load"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = outcome_of_load(row.failure, 10);
    INFO(outcome.summary);
    CHECK(outcome.finding == row.found);
    CHECK_FALSE(outcome.next.empty());
  }
}
