#include "tests/catch.h"
#include "tests/virtual_gpu/observe/counts/sass_code.h"

using namespace ridge;
using namespace ridge::observe;
using warp_model::SassClass;
using warp_model::SassFlow;

TEST_CASE("A load that was moved out of a loop is issued as often as what leads to the loop") {
  const auto code = code_of({{SassClass::move, 1, SassFlow::branch, true, 5},
                             {SassClass::global_load, 2},
                             {SassClass::warp, 3},
                             {SassClass::control, 4, SassFlow::branch, true, 2},
                             {SassClass::integer, 5},
                             {SassClass::global_store, 6},
                             {SassClass::control, 7, SassFlow::exit}});
  const PtxCounts ptx{{1, counted(4)},
                      {2, counted(240, SassClass::global_load)},
                      {3, counted(240, SassClass::warp)},
                      {4, counted(240)},
                      {5, counted(4)},
                      {6, counted(4, SassClass::global_store)},
                      {7, counted(4)}};
  CHECK(sass_executions(code, ptx, 4) == std::vector<uint64_t>{4, 4, 240, 240, 4, 4, 4});
}

TEST_CASE("The branch at the end of a loop says how often an outer loop is issued") {
  // The lines of the outer loop's first run are those of the inner loop: ptxas moved them.
  const auto code = code_of({{SassClass::move, 1},
                             {SassClass::integer, 3},
                             {SassClass::integer, 4},
                             {SassClass::global_load, 4},
                             {SassClass::control, 5, SassFlow::branch, true, 3},
                             {SassClass::integer, 6},
                             {SassClass::control, 7, SassFlow::branch, true, 1},
                             {SassClass::control, 8, SassFlow::exit}});
  PtxCounts ptx{{1, counted(4)},    {3, counted(1669)}, {4, counted(1669, SassClass::global_load)},
                {5, counted(1669)}, {6, counted(400)},  {7, counted(400)},
                {8, counted(4)}};
  ptx[7].target_line = 2;
  CHECK(sass_executions(code, ptx, 4) ==
        std::vector<uint64_t>{4, 400, 400, 1669, 1669, 400, 400, 4});
}
