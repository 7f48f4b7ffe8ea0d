#include "harness/grade/verdict.h"

#include <set>
#include <stdexcept>

#include "harness/grade/fault.h"
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
  const std::pair<const char*, Verdict> rows[] = {
      {"out_of_bounds", Verdict::out_of_bounds},
      {"misaligned", Verdict::out_of_bounds},
      {"barrier", Verdict::deadlock},
      {"deadlock", Verdict::deadlock},
      {"time_limit", Verdict::timeout},
      {"trap", Verdict::launch_error},
      {"assertion", Verdict::launch_error},
      {"unknown_instruction", Verdict::launch_error},
      {"uninitialised", Verdict::uninitialised},
      {"race", Verdict::race},
      {"something_new", Verdict::launch_error},
  };
  for (auto [check, verdict] : rows) {
    trace::Finding finding;
    finding.check = check;
    finding.message = "Thread 3 did it.";
    finding.file = "/somewhere/student.cu";
    finding.line = 12;
    Fault fault = fault_of(finding, "for n = 33");
    INFO(check << ": " << fault.summary);
    CHECK(fault.verdict == verdict);
    CHECK(fault.summary.find("student.cu line 12, for n = 33.") != std::string::npos);
    CHECK(fault.summary.find("/somewhere") == std::string::npos);
    CHECK(fault.detail == "Thread 3 did it.");
    CHECK_FALSE(fault.next.empty());
  }
}

TEST_CASE("findings of one check have the words of what was found, and name the learner's own line") {
  struct Row {
    const char *check, *message, *words;
  };
  const Row rows[] = {
      {"barrier", "Barrier: it waits at the cluster's barrier without having arrived", "of a cluster"},
      {"barrier", "Barrier: it waits at __syncthreads()", "the same __syncthreads()"},
      {"race", "try: put a __syncthreads() between the two writes", "write the same place"},
      {"race", "try: put a __syncthreads() between the write and the read", "use the same memory"},
      {"race", "try: blocks run in any order: read from one array", "what another block writes"},
      {"race", "try: let every element be written by one block only", "Two blocks use the same memory"},
  };
  for (const Row& row : rows) {
    trace::Finding finding;
    finding.check = row.check;
    finding.message = row.message;
    finding.file = "/somewhere/ring.h";
    finding.line = 12;
    finding.called_from = "student.cu:40";
    const Fault fault = fault_of(finding, "for n = 33");
    INFO(fault.summary);
    CHECK(fault.summary.find(row.words) != std::string::npos);
    CHECK(fault.summary.find(" in ring.h line 12 (called from student.cu:40), for n = 33.") !=
          std::string::npos);
  }
}

TEST_CASE("each way to fail has its verdict and a next step") {
  using How = runner::ChildEnd::How;
  using Stage = runner::Failure::Stage;
  struct Row {
    runner::Failure failure;
    Verdict verdict;
    const char* words;
  };
  const Row rows[] = {
      {{Stage::ended, 0, "", "", {How::exited, 0}}, Verdict::suspect, "ended the program"},
      {{Stage::ended, 0, "", "", {How::exited, 3}}, Verdict::launch_error, "exit status 3"},
      {{Stage::ended, 0, "", "", {How::signalled, 11}},
       Verdict::launch_error,
       "signal 11 (Segmentation fault)"},
      {{Stage::ended, 0, "", "", {How::timed_out, 0}}, Verdict::timeout, "10 seconds"},
      {{Stage::ended, 0, "", "", {How::nonsense, 0}}, Verdict::suspect, "not one of the runner's"},
      {{Stage::launch, 9, "cudaErrorInvalidConfiguration", "x", {}}, Verdict::launch_error, "grid or block"},
      {{Stage::run, 700, "cudaErrorIllegalAddress", "x", {}}, Verdict::out_of_bounds, "no memory"},
      {{Stage::run, 702, "cudaErrorLaunchTimeout", "x", {}}, Verdict::timeout, "longer"},
      {{Stage::run, 12345, "cudaErrorOdd", "x", {}}, Verdict::launch_error, "failed while it ran"},
      {{Stage::load, 0, "", "undefined symbol: f", {}}, Verdict::launch_error, "compiles"},
      {{Stage::setup, 2, "cudaErrorMemoryAllocation", "x", {}}, Verdict::skipped, "no room"},
  };
  for (const Row& row : rows) {
    Fault fault = fault_of(row.failure, "for n = 1", 10);
    INFO(fault.summary);
    CHECK(fault.verdict == row.verdict);
    CHECK(fault.summary.find(row.words) != std::string::npos);
    CHECK_FALSE(fault.next.empty());
  }
}
