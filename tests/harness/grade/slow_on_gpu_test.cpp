// What is said of a kernel that a GPU found slow: what bounds it, from the measured times, and on which line
// the virtual GPU counts too much.
#include <fstream>

#include "harness/grade/gates/bound_reason.h"
#include "harness/grade/gates/virtual_counts.h"
#include "harness/grade/scratch_folder.h"
#include "harness/grade/timed.h"
#include "tests/catch.h"

using namespace ridge;
using grade::Measured;
using grade::Verdict;

namespace {

const std::filesystem::path kOwnFolder = std::filesystem::path(RIDGE_BINARY_DIR) / "slow-on-gpu-test";

Measured measured_with(double bytes, double operations, double time_ms, const char* source = "measured") {
  Measured measured;
  measured.time_ms = time_ms;
  measured.rounds = 9;
  measured.percent = 30;
  measured.baseline = "device copy, 4265 GB/s";
  measured.roofs = {4000, 60, 0.003, source, source};
  measured.place = measure::place_under(measured.roofs, bytes, operations, time_ms);
  return measured;
}

course::Rung scale_rung() {
  course::Rung rung;
  rung.lab = "test";
  rung.name = rung.problem = rung.entry = "scale";
  rung.virtual_size = {65536};
  course::Gate gate;
  gate.count = "bytes_per_request";
  gate.at_least = 400;
  gate.why = "Because the test says so.";
  rung.gates = {gate};
  return rung;
}

// A grade that a GPU is said to have measured, with what is counted of this kernel beside it.
grade::Result counted_of(const std::string& name, const std::string& body, const course::Rung& rung) {
  std::filesystem::create_directories(kOwnFolder);
  const std::filesystem::path source = kOwnFolder / (name + ".cu");
  std::ofstream(source)
      << "#include <cuda_runtime.h>\n__global__ void scaled(float a, const float* x, float* y, "
         "int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      << body
      << "\n}\nextern \"C\" void scale(float a, const float* x, float* y, int n, cudaStream_t "
         "stream) {\n  scaled<<<(n + 255) / 256, 256, 0, stream>>>(a, x, y, n);\n}\n";
  const build::Compiled compiled = build::compile(source, kOwnFolder / "cache", "90a");
  INFO(compiled.messages);
  REQUIRE(compiled.ok);
  const grade::ScratchFolder scratch(kOwnFolder);
  grade::Result result;
  result.verdict = Verdict::slow;
  result.source = compiled.from.source;
  result.measured = measured_with(800e6, 0, 1);
  add_virtual_counts(grade::count_on_virtual_gpu(runner::find_installation(), compiled, rung, 42, scratch.path()), rung,
              result);
  INFO(result.detail);
  return result;
}

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("SLOW on a GPU reports what bounds the work, how close its roof is, and what helps") {
  struct Row {
    double bytes, operations, time_ms;
    const char* source;
    const char *said, *advice;
  };
  const Row rows[] = {
      {800e6, 1e6, 1, "measured",
       "bound by memory: its bytes need 0.2000 ms at a copy's measured rate, so it is at 20% of its roof",
       "whole sectors"},
      {800e6, 1e6, 0.21, "data sheet", "0.2000 ms at the data sheet's rate, so it is at 95% of its roof",
       "only moving fewer of them"},
      {1e6, 120e9, 8, "measured",
       "bound by compute: its operations need 2.0000 ms at the measured rate, so it is at 25% of its roof",
       "wait for their operands"},
      {1e6, 120e9, 2.1, "data sheet", "2.0000 ms at the data sheet's rate", "only fewer operations"},
      {4096, 1024, 0.03, "measured",
       "bound by overhead: an empty kernel needs 0.0030 ms, measured, so it is at 10% of its roof",
       "use fewer of them"},
      {4096, 1024, 0.0031, "measured", "bound by overhead", "Little is left"},
  };
  for (const Row& row : rows) {
    grade::TimedGrade timed;
    timed.measured = measured_with(row.bytes, row.operations, row.time_ms, row.source);
    const grade::Outcome slow = judge(timed, {70, 82});
    INFO(slow.summary << "\n" << slow.next);
    CHECK(slow.verdict == Verdict::slow);
    CHECK(holds(slow.summary, "30.0% of device copy, 4265 GB/s"));
    CHECK(holds(slow.summary, row.said));
    CHECK(holds(slow.next, row.advice));
  }
  grade::TimedGrade waits;
  waits.measured = measured_with(800e6, 0, 1);
  waits.measured.ungated = true;
  CHECK(holds(judge(waits, {70, 82}).next, "The kernel waits for the host"));
  grade::TimedGrade no_roof;
  no_roof.measured.percent = 3;
  no_roof.measured.time_ms = 1;
  CHECK(holds(judge(no_roof, {70, 82}).summary, "; 70% passes."));
}

TEST_CASE("the virtual GPU counts a slow kernel that a GPU timed, and names the line") {
  const grade::Result result = counted_of(
      "strided", "  const int j = i % 32 * (n / 32) + i / 32;\n  if (i < n) y[j] = a * x[j];", scale_rung());
  INFO(result.detail);
  CHECK(holds(result.detail, "Far from ideal, counted on the virtual GPU at n = 65536 (modelled):\n"));
  CHECK(holds(result.detail, "bytes_per_request: "));
  CHECK(holds(result.detail,
              "line 5, `if (i < n) y[j] = a * x[j];`: 2,048 warp accesses (global store) touch 65,536 "
              "sectors of 32 bytes where 8,192 would do"));
  CHECK(result.counted_size == "n = 65536");
  REQUIRE(result.gates.size() == 1);
  CHECK_FALSE(result.gates[0].passed);
  CHECK(result.counts.size() == 2);
  CHECK(result.far_from_ideal == std::vector<std::string>{"store_traffic"});
}

TEST_CASE("a slow kernel gets a note if its counts are ideal or the virtual GPU refuses it") {
  course::Rung rung = scale_rung();
  rung.gates.clear();
  const grade::Result ideal = counted_of("ideal", "  if (i < n) y[i] = a * x[i];", rung);
  INFO(ideal.detail);
  CHECK(holds(ideal.detail, "nothing is far from its ideal"));
  const grade::Result racy =
      counted_of("racy",
                 "  __shared__ float all;\n  all = a * x[min(i, n - 1)];\n  __syncthreads();\n"
                 "  if (i < n) y[i] = a * x[i] + 0 * all;",
                 rung);
  INFO(racy.detail);
  CHECK(holds(racy.detail, "Not counted line by line: the virtual GPU's verdict is RACE: "));
  CHECK(racy.counts.empty());
}

TEST_CASE("without a virtual GPU the grade is the same and says that nothing was counted") {
  runner::Installation nowhere = runner::find_installation();
  nowhere.virtual_libraries = kOwnFolder / "nowhere";
  grade::Result result;
  result.verdict = Verdict::slow;
  const grade::ScratchFolder scratch(kOwnFolder);
  add_virtual_counts(grade::count_on_virtual_gpu(nowhere, {}, scale_rung(), 1, scratch.path()), scale_rung(), result);
  CHECK(result.detail ==
        "Not counted line by line: " + runner::why_no_virtual_gpu(nowhere.virtual_libraries) + ".\n");
  CHECK(holds(result.detail, "the virtual GPU is missing"));
  CHECK(result.verdict == Verdict::slow);
}
