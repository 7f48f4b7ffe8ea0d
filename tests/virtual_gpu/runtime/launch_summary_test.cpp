#include "virtual_gpu/runtime/report/launch_summary.h"

#include "tests/catch.h"

using namespace ridge;

namespace {

trace::LaunchReport launch_with(uint64_t code_bytes, uint64_t loop_loads) {
  trace::LaunchReport report;
  report.kernel = "sum(float*)";
  report.sass_code_bytes = code_bytes;
  trace::InstructionCounts& row = report.instructions.emplace_back();
  row.space = "shared";
  row.kind = "reduction";
  row.sass_loop_load_wavefronts = loop_loads;
  report.links = {{0, 1, "store", 128 * loop_loads, loop_loads, 0, {0, 0, 0, loop_loads}}};
  return report;
}

}  // namespace

TEST_CASE("A summary adds up what launches counted, and keeps the longest code") {
  runtime::LaunchSummary summary;
  summary.add(launch_with(512, 3));
  summary.add(launch_with(256, 4));
  const std::string lines = summary.lines();
  CHECK_THAT(lines, Catch::Contains("\"launches\":2"));
  CHECK_THAT(lines, Catch::Contains("\"sass_loop_load_wavefronts\":7"));
  CHECK_THAT(lines, Catch::Contains("\"sass_code_bytes\":512"));
  CHECK_THAT(lines, Catch::Contains("\"bytes\":896"));  // over the link from 0 to 1
}
