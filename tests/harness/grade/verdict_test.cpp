#include "harness/grade/verdict.h"

#include <set>
#include <stdexcept>

#include "harness/grade/findings/outcome.h"
#include "tests/catch.h"

using namespace ridge::grade;
namespace runner = ridge::runner;
namespace trace = ridge::trace;

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

TEST_CASE("each finding of the virtual GPU has its verdict, line and text") {
  const std::pair<const char*, const char*> rows[] = {
      {"out_of_bounds", "out_of_bounds.access"}, {"misaligned", "out_of_bounds.misaligned"},
      {"barrier", "deadlock.block_barrier"},     {"deadlock", "deadlock.waits"},
      {"time_limit", "timeout.kernel"},          {"trap", "launch_error.trap"},
      {"assertion", "launch_error.assertion"},   {"unknown_instruction", "launch_error.unknown_instruction"},
      {"uninitialised", "uninitialised.read"},   {"race", "race.shared"},
      {"something_new", "launch_error.stopped"},
  };
  for (auto [check, found] : rows) {
    trace::Finding finding;
    finding.check = check;
    finding.message = "Thread 3 did it.";
    finding.file = "/somewhere/student.cu";
    finding.line = 12;
    Outcome fault = outcome_of(finding, "for n = 33");
    INFO(check << ": " << fault.summary);
    CHECK(fault.finding == found);
    CHECK(fault.verdict == Finding{found}.verdict());
    CHECK(fault.summary.find("student.cu line 12, for n = 33.") != std::string::npos);
    CHECK(fault.summary.find("/somewhere") == std::string::npos);
    CHECK(fault.detail == "Thread 3 did it.");
    CHECK_FALSE(fault.next.empty());
  }
}

TEST_CASE("findings of one check have the words of what was found, and name the learner's own line") {
  struct Row {
    const char *check, *message, *found;
  };
  const Row rows[] = {
      {"barrier", "Barrier: it waits at the cluster's barrier without having arrived",
       "deadlock.cluster_barrier"},
      {"barrier", "Barrier: it waits at __syncthreads()", "deadlock.block_barrier"},
      {"race", "try: put a __syncthreads() between the two writes", "race.two_writes"},
      {"race", "try: put a __syncthreads() between the write and the read", "race.shared"},
      {"race", "try: blocks run in any order: read from one array", "race.blocks_read"},
      {"race", "try: let every element be written by one block only", "race.blocks_write"},
  };
  for (const Row& row : rows) {
    trace::Finding finding;
    finding.check = row.check;
    finding.message = row.message;
    finding.file = "/somewhere/ring.h";
    finding.line = 12;
    finding.called_from = "student.cu:40";
    const Outcome fault = outcome_of(finding, "for n = 33");
    INFO(fault.summary);
    CHECK(fault.finding == row.found);
    CHECK(fault.summary.find(" in ring.h line 12 (called from student.cu:40), for n = 33.") !=
          std::string::npos);
  }
}

TEST_CASE("each way to fail has its verdict and a next step") {
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
      {{Stage::missing, 0, "cuBLAS", "x", {}}, "skipped.no_library", "cuBLAS is needed"},
  };
  for (const Row& row : rows) {
    Outcome fault = outcome_of(row.failure, "for n = 1", 10);
    INFO(fault.summary);
    CHECK(fault.finding == row.found);
    CHECK(fault.verdict == Finding{row.found}.verdict());
    CHECK(fault.summary.find(row.value) != std::string::npos);
    CHECK_FALSE(fault.next.empty());
  }
}
