#include "virtual_gpu/runtime/report/launch_summary.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

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

TEST_CASE("A summary adds every count of a launch, and no field that describes it") {
  // Equal in all launches of a total, except the number: that is the last launch's.
  const std::set<std::string> described = {
      "version",       "device_number",         "range",
      "number",        "registers_per_thread",  "static_shared_bytes",
      "occupancy",     "dynamic_shared_bytes",  "local_bytes_per_thread",
      "blocks_per_sm", "warps_per_sm",          "limit_threads",
      "limit_blocks",  "limit_registers",       "limit_shared_memory",
      "l1_bytes",      "shared_carveout_bytes", "sass_code_bytes",
      "cache_sample",  "spill_loads_in_code",   "spill_stores_in_code",
      "host_threads"};
  nlohmann::json launch = nlohmann::json::parse(trace::to_json_line(trace::LaunchReport{}));
  for (auto& [field, value] : launch.items())
    if (value.is_number() && field != "version") value = 3;
  runtime::LaunchSummary summary;
  for (int i = 0; i < 2; ++i)
    summary.add(trace::parse_report(launch.dump()));
  const nlohmann::json total = nlohmann::json::parse(summary.lines());
  for (const auto& [field, value] : launch.items()) {
    if (!value.is_number()) continue;
    INFO(field);
    CHECK(total.at(field) == (described.contains(field) ? value : nlohmann::json(6)));
  }
}
