// What is said of a kernel that is right and slow.
#include "harness/grade/gates/slow_reason.h"

#include "tests/catch.h"

using namespace ridge;
using grade::explain_gate;
using grade::GateResult;

namespace {

const char* const kSource =
    "__global__ void f() {\n"
    "  out[i] = in[i];\n"
    "  tile[x][y] = 1;\n"
    "}\n";

trace::InstructionCounts access(const char* space, const char* kind, uint32_t line, uint64_t found,
                                uint64_t ideal) {
  trace::InstructionCounts i;
  i.file = "/somewhere/1-unit-stride.cu";
  i.line = line;
  i.space = space;
  i.kind = kind;
  i.requests = 1000;
  (i.space == "shared" ? i.wavefronts : i.sectors) = found;
  (i.space == "shared" ? i.ideal_wavefronts : i.ideal_sectors) = ideal;
  return i;
}

trace::LaunchReport launch_of(std::vector<trace::InstructionCounts> instructions) {
  trace::LaunchReport launch;
  launch.range = 1;
  launch.instructions = std::move(instructions);
  return launch;
}

GateResult too_large(const char* count, double value, double limit) {
  GateResult gate;
  gate.gate.count = count;
  gate.gate.at_most = limit;
  gate.value = value;
  return gate;
}
GateResult too_small(const char* count, double value, double limit) {
  GateResult gate;
  gate.gate.count = count;
  gate.gate.at_least = limit;
  gate.value = value;
  return gate;
}

}  // namespace

TEST_CASE("a failed gate names its line with its text, the numbers, and what they cost the hardware") {
  const auto launch =
      launch_of({access("global", "load", 2, 4000, 4000), access("global", "store", 2, 32000, 4000),
                 access("shared", "store", 3, 32000, 1000)});
  struct Row {
    GateResult gate;
    std::vector<const char*> found;
  };
  const Row rows[] = {
      {too_large("store_sectors_per_request", 32, 4.5),
       {"slow.line_in_global_memory requests=1,000 space=global kind=store found=32,000 ideal=4,000 times=8.0",
        "slow.sectors count=store_sectors_per_request value=32 times=8.0 registers=0"}},
      {too_large("bank_conflicts", 31000, 0),
       {"slow.line_in_shared_memory requests=1,000 space=shared kind=store found=32,000 ideal=1,000 times=32.0",
        "slow.bank_conflicts count=bank_conflicts value=31000 times=32.0 registers=0"}},
      {too_small("bytes_per_request", 128, 400),
       {"slow.narrow_requests count=bytes_per_request value=128 times=1.0 registers=0"}},
      {too_small("input_bytes_per_round_trip", 512, 700),
       {"slow.round_trips count=input_bytes_per_round_trip value=512 times=1.0 registers=0"}},
      {too_small("blocks", 12, 132), {"slow.few_blocks count=blocks value=12 times=1.0 registers=0"}},
      {too_large("blocks", 8192, 2112), {"slow.many_blocks count=blocks value=8192 times=1.0 registers=0"}},
      {too_large("divergent_branches", 100, 0),
       {"slow.divergence count=divergent_branches value=100 times=1.0 registers=0"}},
      {too_large("launches", 3, 1), {"slow.launches count=launches value=3 times=1.0 registers=0"}},
  };
  for (const Row& row : rows) {
    std::vector<std::string> found;
    for (const grade::Finding& finding : grade::findings_of_gate(row.gate, {&launch, 1}))
      found.push_back(finding.described());
    INFO(row.gate.gate.count);
    CHECK(found == std::vector<std::string>(row.found.begin(), row.found.end()));
  }
  const auto far = grade::findings_of_gate(too_large("dram_read_bytes", 100, 10), {&launch, 1});
  REQUIRE_FALSE(far.empty());
  CHECK(far.back().id == "slow.far_bytes");
  const std::string text = explain_gate(too_large("bank_conflicts", 31000, 0), {&launch, 1}, kSource);
  CHECK(text.find("line 3, `tile[x][y] = 1;`") != std::string::npos);
}

TEST_CASE("spills have no line, so none is named") {
  auto spill = access("local", "store", 0, 4000, 4000);
  auto load = access("global", "load", 0, 32000, 4000);
  const auto launch = launch_of({spill, load});
  CHECK(explain_gate(too_large("sectors_per_request", 32, 4.5), {&launch, 1}, kSource).find("line 0") ==
        std::string::npos);
  CHECK(grade::other_remarks({}, {&launch, 1}, kSource).empty());
}

TEST_CASE("a line of a header is named and not quoted from the student's file") {
  auto load = access("global", "load", 2, 32000, 4000);
  load.file = "/somewhere/coalescing.h";
  const auto launch = launch_of({load});
  const std::string text = explain_gate(too_large("sectors_per_request", 32, 4.5), {&launch, 1}, kSource);
  CHECK(text.find("most of it: coalescing.h line 2\n") != std::string::npos);
}

TEST_CASE("other accesses far from their ideal are listed, worst first") {
  auto launch = launch_of({access("global", "load", 2, 4000, 4000), access("global", "store", 2, 8000, 4000),
                           access("shared", "store", 3, 32000, 1000)});
  const auto one = grade::other_remarks({}, {&launch, 1}, kSource);
  REQUIRE(one.size() == 2);
  CHECK(one[0].text.find("line 3") == 0);
  CHECK(one[0].count == "conflicts_per_1000_elements");
  CHECK(one[1].text.find("line 2") == 0);
  CHECK(one[1].count == "store_traffic");
  // The line of a gate that failed has been reported already.
  const GateResult gate = too_large("bank_conflicts", 31000, 0);
  CHECK(grade::other_remarks({&gate, 1}, {&launch, 1}, kSource).size() == 1);

  launch.instructions.clear();
  CHECK(grade::other_remarks({}, {&launch, 1}, kSource).empty());
  launch.registers_per_thread = 255;
  launch.spill_stores = 2000;
  launch.spill_loads = 3000;
  launch.occupancy = 0.125;
  launch.warps_per_sm = 8;
  launch.occupancy_limiter = "registers";
  launch.branches = {{"x.cu", 2, 9, "@p bra", 1000, 500}, {"x.cu", 3, 9, "@p bra", 1000, 10}};
  launch.warp_instructions = 20000;
  launch.thread_instructions = 32 * 15000;
  launch.ideal_bytes = 1000;
  const auto more = grade::other_remarks({}, {&launch, 1}, kSource);
  REQUIRE(more.size() == 3);
  std::vector<std::string> found;
  for (const grade::Remark& remark : more)
    found.push_back(remark.finding.described());
  CHECK(found == std::vector<std::string>{
                     "slow.spills registers=255 stores=2,000 loads=3,000",
                     "slow.occupancy warps=8 part=12 limit=registers",
                     "slow.divergent_line place=line 2, `out[i] = in[i];` part=50 executions=1,000 idle=25"});
  launch.warp_instructions = 60000;
  launch.thread_instructions = 32 * 45000;  // of which the 500 are not worth a word
  CHECK(grade::other_remarks({}, {&launch, 1}, kSource).size() == 2);
  auto load = access("global", "load", 2, 4000, 4000);
  load.bytes = 32000;
  launch = launch_of({load});
  launch.ideal_bytes = 1000;
  CHECK(grade::other_remarks({}, {&launch, 1}, kSource).front().finding.described() ==
        "slow.loaded_again bytes=32,000 times=32");
}

TEST_CASE("a single storing lane is not reported, and branches of an unrolled line count once") {
  auto launch = launch_of({});
  launch.branches = {{"x.cu", 2, 9, "@p bra", 1000, 1000}, {"x.cu", 2, 19, "@p bra", 1000, 0}};
  launch.warp_instructions = 100000;
  launch.thread_instructions = 32 * 95000;  // two instructions of forty with one lane
  CHECK(grade::other_remarks({}, {&launch, 1}, kSource).empty());
  launch.thread_instructions = 32 * 50000;
  const auto told = grade::other_remarks({}, {&launch, 1}, kSource);
  REQUIRE(told.size() == 1);
  CHECK(told[0].finding.described() ==
        "slow.divergent_line place=line 2, `out[i] = in[i];` part=50 executions=2,000 idle=50");
  CHECK(told[0].count == "divergence_per_1000_elements");
}

TEST_CASE("a source line is shown without indentation, a missing one not at all") {
  CHECK(grade::source_line(kSource, 2) == "out[i] = in[i];");
  CHECK(grade::source_line(kSource, 4) == "}");
  CHECK(grade::source_line(kSource, 5).empty());
  CHECK(grade::source_line(kSource, 0).empty());
  CHECK(grade::source_line(std::string(100, 'x'), 1) == std::string(57, 'x') + "...");
}
