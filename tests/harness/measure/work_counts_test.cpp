// Counts relative to the work: their values, and that accesses without a purpose make none of them better.
#include "harness/measure/work_counts.h"

#include <set>

#include "harness/measure/counts.h"
#include "tests/catch.h"

using namespace ridge::measure;
using ridge::trace::InstructionCounts;
using ridge::trace::LaunchReport;

namespace {

InstructionCounts access(const char* space, const char* kind, const char* opcode, uint64_t requests,
                         uint64_t sectors, uint64_t bytes) {
  InstructionCounts counts;
  counts.space = space;
  counts.kind = kind;
  counts.opcode = opcode;
  counts.requests = requests;
  counts.lanes = 32 * requests;
  counts.bytes = bytes;
  if (counts.space == "shared") {
    counts.wavefronts = sectors;
    counts.ideal_wavefronts = requests;
  } else {
    counts.sectors = sectors;
    counts.ideal_sectors = (bytes + 31) / 32;
  }
  return counts;
}

// 1000 elements of 4 bytes in, 500 out, 2000 operations: loads twice the sectors, stores as it should.
LaunchReport launch() {
  LaunchReport report;
  report.grid = {2, 1, 1};
  report.block = {256, 1, 1};
  report.warp_instructions = 500;
  report.thread_instructions = 12000;
  report.busiest_block_instructions = 300;
  report.divergent_branches = 3;
  report.barriers = 16;
  report.instructions = {access("global", "load", "ld.global.f32", 20, 200, 3200),
                         access("global", "load", "cp.async.ca.shared.global", 5, 40, 640),
                         access("global", "load", "cp.async.bulk.tensor.2d", 1, 10, 160),
                         access("global", "store", "st.global.f32", 15, 60, 1920),
                         access("global", "store", "cp.async.bulk.tensor.2d", 1, 2, 64),
                         access("global", "reduction", "red.global.add.f32", 1, 1, 16),
                         access("shared", "load", "ld.shared.f32", 10, 30, 1280)};
  report.opcodes = {{"fma.rn.f32", 25},
                    {"add.f32", 10},
                    {"mul.f32", 5},
                    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2},
                    {"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", 4},
                    {"wgmma.commit_group.sync.aligned", 8},
                    {"wgmma.wait_group.sync.aligned 0", 2},
                    {"wgmma.wait_group.sync.aligned 1", 6},
                    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", 1},
                    {"griddepcontrol.launch_dependents", 8},
                    {"atom.add.release.gpu.global.u32", 10},
                    {"barrier.cluster.arrive.release", 16},
                    {"barrier.cluster.wait.acquire", 24}};
  report.links = {{0, 1, "store", 1000, 10, 1, {}}, {0, 1, "load", 400, 4, 3, {}}, {0, 2, "atomic", 25, 0, 0, {}}};
  report.may_begin_early = true;
  report.early_load_bytes = 1000;
  report.load_round_trips = 16;
  report.copy_groups = 4;
  report.wgmma_drains = 2;
  report.instructions_behind_copies = 800;
  report.wgmma_groups = 8;
  report.instructions_behind_wgmma = 1200;
  return report;
}

Work work() {
  Work work{2000, 4000, 2000, 1000, 500, 60};
  work.steps = 5;
  work.step_elements = 500;
  work.api_calls = 12;
  work.launch_calls = 6;
  work.synchronizations = 2;
  work.allocations = 3;
  work.graph_launches = 4;
  work.graph_instantiations = 1;
  work.ranks = 2;
  work.link_bytes = 1000;
  work.copied_links = {{1, 0, "copy", 300, 1, 0, {}}};
  return work;
}

double count(const char* name, const LaunchReport& report) {
  return value_of(find_count(name), {&report, 1}, work());
}

}  // namespace

TEST_CASE("each count relative to the work has the value that its description promises") {
  const double mma = 2.0 * 16 * 8 * 16 * 2, wgmma = 2.0 * 64 * 128 * 16;
  const std::pair<const char*, double> rows[] = {
      {"load_traffic", 32 * 250 / 4000.0},
      {"store_traffic", 32 * 63 / 2000.0},
      {"requested_bytes", 1},
      {"work_bytes_per_request", 6000 / 43.0},
      {"input_bytes_per_load", 4000 / 26.0},
      {"input_bytes_per_round_trip", 250},
      {"output_bytes_per_store", 2000 / 17.0},
      {"instructions_per_element", 16},
      {"active_lanes", 24},
      {"threads_per_element", 0.512},
      {"threads_per_output", 1.024},
      {"shared_requests_per_1000_elements", 10},
      {"conflicts_per_1000_elements", 20},
      {"atomics_per_1000_elements", 32},
      {"atomics_per_1000_threads", 62.5},
      {"divergence_per_1000_elements", 3},
      {"barriers_per_1000_elements", 16},
      {"cluster_barriers_per_warp", 1.5},
      {"instructions_per_operation", 8},
      {"operations_per_load", 2000 / (32.0 * 26)},
      {"operations_per_loaded_byte", 0.5},
      {"operations_per_loaded_sector", 8},
      {"operations_per_stored_sector", 2000 / 63.0},
      {"operations_per_l2_byte", 1e12},
      {"operations_per_shared_access", 6.25},
      {"operations_per_wavefront", 2000 / 30.0},
      {"shared_bytes_per_operation", 0.64},
      {"conflicts_per_1000_operations", 10},
      {"barriers_per_million_operations", 8000},
      {"float_operations", 32 * (2 * 25 + 15) / 2000.0},
      {"tensor_operations", (mma + wgmma) / 2000},
      {"wgmma_operations", wgmma / 2000},
      {"async_share", 0.2},
      {"bulk_share", 0.04},
      {"bulk_requested", 0.04},
      {"bulk_store_share", 0.032},
      {"instructions_behind_copies", 200},
      {"share_behind_copies", 1.6},
      {"instructions_behind_wgmma", 150},
      {"drains_per_million_operations", 1000},
      {"ldmatrix_share", 0.5},
      {"copied_share", 0.01},
      {"launch_evenness", 1},
      {"busiest_block_share", 0.6},
      {"few_blocks_share", 1},
      {"api_calls_per_step", 2.4},
      {"launch_calls_per_step", 1.2},
      {"kernels_per_step", 0.2},
      {"largest_launch_share", 1},
      {"synchronizations", 2},
      {"allocations", 3},
      {"graph_launches", 4},
      {"graph_instantiations", 1},
      {"early_launches", 1},
      {"early_load_share", 0.25},
      {"early_triggers", 0.5},
      {"atomic_answers_per_step", 2},
      {"loaded_bytes_per_step_element", 8},
      {"link_traffic", 1.425},  // device 0 sends 1000 + 400 + 25
      {"link_bytes_per_request", 1425 / 14.0},  // copies are none
      {"link_push_share", 1000 / 1725.0},
      {"links_per_device", 1},  // the 25 bytes to device 2 are none
      {"link_strong_share", 0.1},
      {"link_polls", 3},
  };
  std::set<std::string_view> tested;
  for (auto [name, value] : rows) {
    INFO(name);
    CHECK(count(name, launch()) == Approx(value));
    tested.insert(name);
  }
  CHECK(tested.size() == work_counts().size());
}

TEST_CASE("the share of the largest launch tells one kernel that does all from many that share the work") {
  std::vector<LaunchReport> launches(4, launch());
  CHECK(value_of(find_count("largest_launch_share"), launches, work()) == Approx(0.25));
  CHECK(value_of(find_count("launch_evenness"), launches, work()) == 1);
  for (size_t i = 1; i < launches.size(); ++i)
    launches[i].warp_instructions = 0;
  CHECK(value_of(find_count("largest_launch_share"), launches, work()) == 1);
}

TEST_CASE("useless accesses and instructions improve no count") {
  LaunchReport idle = launch();
  idle.instructions.push_back(access("global", "load", "ld.global.v4.f32", 1000, 16000, 512000));
  idle.instructions.push_back(access("global", "store", "st.global.f32", 1000, 1000, 4000));
  idle.instructions.push_back(access("shared", "load", "ld.shared.f32", 1000, 1000, 128000));
  idle.warp_instructions += 3000;
  const char* at_most[] = {"load_traffic",          "store_traffic",         "requested_bytes",
                           "instructions_per_element", "conflicts_per_1000_elements",
                           "instructions_per_operation", "conflicts_per_1000_operations", "float_operations"};
  const char* at_least[] = {"work_bytes_per_request",     "input_bytes_per_load",
                            "output_bytes_per_store",     "operations_per_load",
                            "operations_per_loaded_byte", "operations_per_loaded_sector",
                            "operations_per_shared_access", "operations_per_wavefront",
                            "async_share",                "bulk_share"};
  for (const char* name : at_most) {
    INFO(name);
    CHECK(count(name, idle) >= count(name, launch()));
  }
  for (const char* name : at_least) {
    INFO(name);
    CHECK(count(name, idle) <= count(name, launch()));
  }
}
