#include "harness/measure/counts.h"

#include <set>
#include <stdexcept>

#include "harness/measure/work_counts.h"
#include "tests/catch.h"

using namespace ridge::measure;
using ridge::trace::InstructionCounts;
using ridge::trace::LaunchReport;

namespace {

InstructionCounts memory(uint32_t line, const char* space, const char* kind, uint64_t requests,
                         uint64_t sectors, uint64_t ideal, uint64_t bytes) {
  InstructionCounts counts;
  counts.file = "student.cu";
  counts.line = line;
  counts.space = space;
  counts.kind = kind;
  counts.requests = requests;
  counts.bytes = bytes;
  counts.lanes = 32 * requests;
  bool shared = counts.space == "shared";
  (shared ? counts.wavefronts : counts.sectors) = sectors;
  (shared ? counts.ideal_wavefronts : counts.ideal_sectors) = ideal;
  return counts;
}

// 10 warps: unit-stride loads, stores one row apart, a 32-way bank conflict, and 3 atomics of a whole warp.
std::vector<LaunchReport> launches() {
  LaunchReport report;
  report.range = 1;
  report.grid = {5, 2, 1};
  report.block = {32, 4, 1};
  report.warp_instructions = 700;
  report.divergent_branches = 3;
  report.registers_per_thread = 24;
  report.static_shared_bytes = 96;
  report.dynamic_shared_bytes = 32;
  report.sass_instructions = 650;
  report.l1_load_hits = 30;
  report.l2_read_sectors = 20;
  report.dram_read_bytes = 640;
  report.spill_stores = 5;
  report.barriers = 12;
  report.instructions = {
      memory(7, "global", "load", 10, 40, 40, 1280),  memory(9, "global", "store", 10, 320, 40, 1280),
      memory(8, "shared", "store", 10, 10, 10, 1280), memory(9, "shared", "load", 10, 320, 10, 1280),
      memory(10, "global", "atomic", 1, 1, 1, 128),   memory(11, "global", "reduction", 2, 2, 2, 256)};
  report.instructions[2].opcode = "cp.async.ca.shared.global";  // its other half is the load
  return {report};
}

}  // namespace

TEST_CASE("each count has the value that its description promises") {
  const std::pair<const char*, double> rows[] = {
      {"sectors_per_request", 363.0 / 23},
      {"load_sectors_per_request", 4},
      {"store_sectors_per_request", 32},
      {"global_load_ratio", 1},
      {"global_store_ratio", 8},
      {"bank_conflicts", 310},
      {"bank_conflicts_per_request", 15.5},
      {"bytes_per_request", 128},
      {"load_bytes_per_request", 128},
      {"store_bytes_per_request", 128},
      {"shared_requests", 20},
      {"global_load_bytes", 1280},
      {"global_atomics", 96},
      {"global_load_requests", 10},
      {"shared_wavefronts", 330},
      {"async_copies", 10},
      {"blocks", 10},
      {"threads", 1280},
      {"launches", 1},
      {"warp_instructions", 700},
      {"divergent_branches", 3},
      {"registers", 24},
      {"shared_bytes_per_block", 128},
      {"sass_instructions", 650},
      {"l1_hits", 30},
      {"l2_read_sectors", 20},
      {"dram_read_bytes", 640},
      {"spill_stores", 5},
      {"barriers", 12},
  };
  std::set<std::string_view> tested;
  for (auto [name, value] : rows) {
    INFO(name);
    CHECK(find_count(name).value(launches()) == Approx(value));
    CHECK_FALSE(find_count(name).description.empty());
    tested.insert(name);
  }
  CHECK(tested.size() + work_counts().size() == counts().size());
}

TEST_CASE("a kernel that touches no memory has counts of 0, not NaN") {
  std::vector<LaunchReport> nothing(1);
  for (const Count& count : counts()) {
    INFO(count.name);
    const double value = value_of(count, nothing, {});
    const bool is_per_access = value == value_of(find_count("operations_per_load"), nothing, {});
    if (!is_per_access) CHECK(value == (count.name == "launches" || count.name == "kernels_per_step" ? 1 : 0));
    CHECK(worst_instruction(count, nothing) == nullptr);
  }
}

TEST_CASE("the worst source line of a count is the one with the largest share") {
  auto given = launches();
  CHECK(worst_instruction(find_count("sectors_per_request"), given)->kind == "store");
  CHECK(worst_instruction(find_count("load_sectors_per_request"), given)->line == 7);
  CHECK(worst_instruction(find_count("bank_conflicts"), given)->line == 9);
  CHECK(worst_instruction(find_count("blocks"), given) == nullptr);
}

TEST_CASE("an unknown count is reported with the nearest names, or with all of them") {
  CHECK_THROWS_WITH(find_count("sectors_per_reqest"), Catch::Contains("did you mean sectors_per_request"));
  try {
    find_count("moon");
    FAIL("found a count that is not there");
  } catch (const std::invalid_argument& error) {
    for (const Count& count : counts())
      CHECK(std::string(error.what()).find(count.name) != std::string::npos);
  }
}

TEST_CASE("only launches inside the profiled range count, and lines are summed over launches") {
  auto reports = launches();
  reports.push_back(reports.front());
  reports.push_back(reports.front());
  reports[1].range = 0;
  auto profiled = profiled_launches(reports);
  REQUIRE(profiled.size() == 2);
  auto rows = counts_by_line(profiled);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].line == 7);
  CHECK(rows[0].what == "global load");
  CHECK(rows[0].requests == 20);
  CHECK(rows[2].what == "global store");
  CHECK(rows[2].sectors == 640);
  CHECK(rows[3].wavefronts == 640);
}
