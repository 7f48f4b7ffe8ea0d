// Samples of several calls in a row, on virtual devices: their time, and functions whose calls are wrong only
// in a row.
#include <fstream>

#include "harness/build/compile.h"
#include "harness/grade/scratch_folder.h"
#include "harness/grade/timed.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

constexpr int kInARow = 4;

// A peer copy whose function has `body`; copy(ranks, n) queues all of it.
grade::TimedGrade timed(const std::string& name, const std::string& body, bool capture) {
  const std::filesystem::path folder = std::filesystem::path(RIDGE_BINARY_DIR) / "timed-rows-test";
  std::filesystem::create_directories(folder);
  const std::filesystem::path source = folder / (name + ".cu");
  std::ofstream(source) << R"(#include "ranks.h"
__global__ void push(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
static void copy(const Ranks& ranks, int n) {
  for (int rank = 0; rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    push<<<(n + 255) / 256, 256, 0, ranks.streams[rank]>>>(
        ranks.inputs[rank], ranks.outputs[next_of(rank, ranks.count)], n);
  }
  for (int rank = 0; rank < ranks.count; ++rank)
    let_wait(ranks, next_of(rank, ranks.count), rank);
}
extern "C" void peer_copy(Ranks ranks, int n) {
)" << body << "\n}\n";
  auto compiled = build::compile(source, folder / "cache", "90a",
                                 {std::filesystem::path(RIDGE_SOURCE_DIR) / "labs/11-collectives"});
  INFO(compiled.messages);
  REQUIRE(compiled.ok);
  grade::ScratchFolder scratch(folder);
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.scratch = scratch.path();
  options.guard_bytes = 1024;
  options.readable = {compiled.object};
  options.environment = {{"RIDGE_DEVICES", "2"}};
  runner::Session session(options);
  const problems::Problem& problem = problems::find_problem("peer_copy");
  REQUIRE_FALSE(session.load(compiled.object, "peer_copy", problem));
  const grade::CaseChecker checker(session, scratch.path() / "no-report", 10);
  grade::TimedWork work;
  work.problem = &problem;
  work.sizes = {2, 3000};
  work.baseline = "peer_copy";
  work.in_a_row = kInARow;
  work.capture = capture;
  work.gpu.peak_gb_per_s = 4800;
  work.seed = 42;
  double now = 0;  // the scripted clock: a row of the student's takes 2 ms, one of the baseline's 1 ms
  work.seconds = [&] { return now; };
  work.clock = [&](runner::PassRun run, bool student) {
    run.device_ms.assign(run.device_ms.size(), student ? 2.0 : 1.0);
    run.host_ms = run.device_ms;
    run.parent_ms = static_cast<double>(run.host_ms.size()) * run.host_ms.front() + 0.5;
    now += run.parent_ms / 1e3;
    return run;
  };
  work.limits = {.warm_up_seconds = 0, .least_seconds = 0, .most_seconds = 60, .noise = 100, .calls = 1};
  return grade::time_on_gpu(session, checker, work);
}

}  // namespace

TEST_CASE("the time of a call in a row is that of the row, divided by its calls") {
  for (const bool capture : {true, false}) {
    const auto result = timed("right", "  copy(ranks, n);", capture);
    INFO((result.outcome ? result.outcome->summary : ""));
    CHECK_FALSE(result.outcome);
    CHECK(result.measured.in_a_row == kInARow);
    CHECK(result.measured.not_captured.empty());
    CHECK(result.measured.time_ms == Approx(2.0 / kInARow));
    CHECK(result.measured.baseline_ms == Approx(1.0 / kInARow));
    CHECK(result.measured.percent == Approx(50));
  }
}

TEST_CASE("a row that cannot be captured is queued call by call") {
  const auto result =
      timed("synchronizes", "  copy(ranks, n);\n  cudaStreamSynchronize(ranks.streams[0]);", true);
  INFO((result.outcome ? result.outcome->summary : ""));
  CHECK_FALSE(result.outcome);
  CHECK(result.measured.not_captured.find("cudaErrorStreamCapture") == 0);
}

TEST_CASE("calls that are right one by one, and wrong in a row") {
  struct Row {
    const char *name, *body;
    bool only_captured;
  };
  const Row rows[] = {
      {"defers", R"(  static Ranks kept[4];
  static int calls = 0;
  kept[calls++ % 4] = ranks;
  for (int call = 0; calls % 4 == 0 && call < 4; ++call) copy(kept[call], n);)",
       false},
      {"skips", R"(  static int calls = 0;
  if (calls++ % 2 == 0) copy(ranks, n);)",
       false},
      // In streams of its own, while the row is captured: its inputs are not there yet.
      {"works_before", R"(  static int calls = 0;
  Ranks own = ranks;
  for (int rank = 0; calls % 4 != 0 && rank < ranks.count; ++rank) {
    cudaSetDevice(rank);
    cudaStreamCreateWithFlags(&own.streams[rank], cudaStreamNonBlocking);
  }
  ++calls;
  copy(own, n);)",
       true},
  };
  for (const Row& row : rows)
    for (const bool capture : {true, false}) {
      if (row.only_captured && !capture) continue;
      INFO(row.name << (capture ? ", captured" : ""));
      const auto result = timed(row.name, row.body, capture);
      REQUIRE(result.outcome);
      INFO(result.outcome->summary);
      // Queued one by one, work that is left to a later call races with the copy of the output.
      const bool races = row.name == std::string("defers") && !capture;
      CHECK(result.outcome->verdict == (races ? grade::Verdict::launch_error : grade::Verdict::wrong));
      if (row.name == std::string("defers") && capture)
        CHECK(result.outcome->summary.find("leave nothing to a later call") != std::string::npos);
    }
}
