// Whether the warps of a block can get the registers that they ask for with setmaxnreg.
#include "harness/grade/gates/register_pool.h"

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("a launch whose warps request more registers than its blocks have would never end") {
  struct Row {
    const char* what;
    std::vector<trace::OpcodeCounts> opcodes;  // 10 blocks of 12 warps
    uint32_t registers;
    bool ends;
  };
  const Row rows[] = {
      {"no reallocation", {{"add.f32", 1000}}, 168, true},
      {"24 and twice 240 of 168",
       {{"setmaxnreg.dec.sync.aligned.u32 24", 40}, {"setmaxnreg.inc.sync.aligned.u32 240", 80}},
       168,
       true},
      {"nobody gives any back", {{"setmaxnreg.inc.sync.aligned.u32 240", 80}}, 168, false},
      {"too few are given back",
       {{"setmaxnreg.dec.sync.aligned.u32 40", 40}, {"setmaxnreg.inc.sync.aligned.u32 240", 80}},
       168,
       false},
      {"165 are allocated as 168",
       {{"setmaxnreg.dec.sync.aligned.u32 24", 40}, {"setmaxnreg.inc.sync.aligned.u32 240", 80}},
       165,
       true},
      {"given back and not taken", {{"setmaxnreg.dec.sync.aligned.u32 24", 40}}, 168, true},
      {"a kernel whose registers are not known", {{"setmaxnreg.inc.sync.aligned.u32 240", 80}}, 0, true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    trace::LaunchReport launch;
    launch.kernel = "multiply(float const*)";
    launch.grid = {10, 1, 1};
    launch.block = {384, 1, 1};
    launch.registers_per_thread = row.registers;
    launch.opcodes = row.opcodes;
    const auto outcome = grade::check_register_pool({&launch, 1});
    CHECK(outcome.has_value() != row.ends);
    if (outcome) CHECK(outcome->finding == "launch_error.register_pool");
  }
}
