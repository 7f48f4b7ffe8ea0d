// The judgement of host code: order and memory, reported times, lines of launches, fixes of kernels.
#include <filesystem>
#include <fstream>

#include "harness/grade/host/broken_launches.h"
#include "harness/grade/host/host_call.h"
#include "harness/grade/host/kernel_fix.h"
#include "harness/grade/host/reported_time.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::grade;

namespace {

std::string finding_of(const std::optional<Outcome>& outcome) {
  return outcome ? outcome->finding : "";
}

constexpr double kEnoughSteps = 1 << 22;

runner::HostCalls timed(std::vector<double> launch_ms) {
  runner::HostCalls calls;
  calls.warmed_up = true;
  calls.launch_ms = std::move(launch_ms);
  return calls;
}

constexpr const char* kMended = R"(#include "lab.h"
__global__ void add(float* x, int n) {  // one per element
  if (threadIdx.x < n) x[threadIdx.x] += 1;
}
void run() { add<<<1, 32>>>(nullptr, 0); }
)";

}  // namespace

TEST_CASE("each fault in the order of calls has its finding") {
  runner::HostCalls calls;
  CHECK(finding_of(examine_order(calls, "")) == "");
  calls.left = "cudaMemcpyAsync";
  CHECK(finding_of(examine_order(calls, "")) == "race.never_waits");
  calls.waits = true;
  CHECK(finding_of(examine_order(calls, "")) == "race.returned_early");
  calls.ahead = "cudaMemcpy";
  CHECK(finding_of(examine_order(calls, "")) == "wrong.copied_before_launch");
  calls.launched = true;
  CHECK(finding_of(examine_order(calls, "")) == "race.copied_early");
}

TEST_CASE("memory that stays is a fault of right answers, and no copy explains untouched ones") {
  runner::HostCalls calls;
  CHECK(finding_of(examine_rest(calls, std::nullopt, "")) == "");
  calls.unfreed = 2;
  CHECK(finding_of(examine_rest(calls, std::nullopt, "")) == "wrong.not_freed");
  Outcome untouched;
  untouched.finding = "wrong.nothing_written";
  CHECK(finding_of(examine_rest(calls, untouched, "")) == "wrong.never_copied_back");
  calls.copied_back = true;
  CHECK(finding_of(examine_rest(calls, untouched, "")) == "wrong.nothing_written");
}

TEST_CASE("a reported time must be that of the launches behind the first, within 5%") {
  struct Row {
    double reported;
    std::string_view finding;
  };
  for (const Row& row :
       {Row{10, ""}, Row{10.4, ""}, Row{9.6, ""}, Row{11.2, "wrong.time"}, Row{8.9, "wrong.time"},
        Row{30, "wrong.time_of_all"}, Row{50, "wrong.time_of_all"}, Row{0.01, "wrong.time_unit"},
        Row{10'000, "wrong.time_unit"}, Row{0.3, "wrong.time_of_launch"}}) {
    INFO(row.reported);
    CHECK(finding_of(examine_time(timed({20, 10, 10, 10}), row.reported, kEnoughSteps, "")) ==
          row.finding);
  }
  // Times that differ from launch to launch: any of them is right, and so is their mean.
  CHECK_FALSE(examine_time(timed({20, 10, 14, 12}), 13.9, kEnoughSteps, ""));
  // The quotient of all launches and one too many lies among them, but is not that of the events.
  runner::HostCalls uneven = timed({20, 10, 20, 12});
  uneven.spans = {{42, 3}};
  CHECK(finding_of(examine_time(uneven, 42 / 4.0, kEnoughSteps, "")) == "wrong.time");
  CHECK_FALSE(examine_time(uneven, 42 / 3.0, kEnoughSteps, ""));
  uneven.spans = {{10, 1}, {20, 1}, {12, 1}};  // each by itself: their median
  CHECK_FALSE(examine_time(uneven, 12, kEnoughSteps, ""));
  CHECK_FALSE(examine_time(timed({20, 10, 10}), 99, 1000, ""));  // too little work to be timed
  CHECK_FALSE(examine_time(timed({1, 0.1, 0.1}), 99, kEnoughSteps, ""));  // too short
}

TEST_CASE("the first launch is no part of a time") {
  CHECK(finding_of(examine_time(timed({10}), 10, kEnoughSteps, "")) == "wrong.no_warm_up");
  runner::HostCalls calls = timed({10, 10});
  calls.warmed_up = false;
  CHECK(finding_of(examine_time(calls, 10, kEnoughSteps, "")) == "wrong.no_warm_up");
}

TEST_CASE("the lines of a launch end before the next launch or copy") {
  const auto lines = launch_lines(
      "// <<< is no launch\n"
      "a<<<1, 2>>>();\n"
      "check();\n"
      "check();\n"
      "b<<<1, 2>>>(); check();\n"
      "c<<<1,\n"
      "    2>>>();\n"
      "cudaMemcpy();\n");
  REQUIRE(lines.size() == 3);
  CHECK((lines[0].first == 2 && lines[0].last == 4));
  CHECK((lines[1].first == 5 && lines[1].last == 5));
  CHECK((lines[2].first == 6 && lines[2].last == 7));
}

TEST_CASE("a fix changes a few names and signs in the body of a kernel, and nothing else") {
  const std::filesystem::path folder = std::filesystem::path(RIDGE_BINARY_DIR) / "kernel-fix-test";
  std::filesystem::create_directories(folder);
  course::Rung rung;
  rung.solution = folder / "solution.cu";
  rung.changed_tokens = 4;
  std::ofstream(rung.solution) << kMended;
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string source = kMended;
    source.replace(source.find(from), from.size(), to);
    return finding_of(check_kernel_fix(rung, source));
  };
  CHECK(with("add", "add") == "");
  CHECK(with("  // one per element", "\n\n/* other words */") == "");
  CHECK(with("threadIdx.x < n", "threadIdx.x <= n") == "");
  CHECK(with("threadIdx.x < n", "threadIdx.x < n && n > 0 && n < 9") == "wrong.changed_too_much");
  CHECK(with("<<<1, 32>>>", "<<<1, 1>>>") == "wrong.changed_elsewhere");
  CHECK(with("int n)", "long n)") == "wrong.changed_elsewhere");
  CHECK(with("void run()", "void more() {}\nvoid run()") == "wrong.changed_elsewhere");
}
