#include "virtual_gpu/observe/counts/sass/spills.h"

#include "tests/catch.h"

using namespace ridge;
using namespace ridge::observe;
using warp_model::SassClass;
using warp_model::SassInstruction;

namespace {

SassInstruction instruction(SassClass sass_class, uint32_t ptx_line, int32_t offset = 0,
                            uint8_t lane_bytes = 4) {
  SassInstruction i;
  i.sass_class = sass_class;
  i.ptx_line = ptx_line;
  i.offset = offset;
  i.lane_bytes = lane_bytes;
  return i;
}

PtxLineCounts counted_line(uint64_t executions, SassClass counterpart) {
  PtxLineCounts line;
  line.executions = executions;
  line.counterpart = counterpart;
  return line;
}

}  // namespace

TEST_CASE("A spill stands behind the last global access before it, as often for each as both were issued") {
  const std::vector<SassInstruction> code = {
      instruction(SassClass::global_load, 3), instruction(SassClass::local_store, 0, 16),
      instruction(SassClass::fp32, 5), instruction(SassClass::local_load, 0, 8, 8),
      instruction(SassClass::global_store, 7)};
  const PtxCounts ptx{{3, counted_line(20, SassClass::global_load)},
                      {5, counted_line(20, SassClass::fp32)},
                      {7, counted_line(20, SassClass::global_store)}};
  const SpillsBehind behind = place_spills(code, ptx, std::vector<uint64_t>{20, 20, 20, 10, 20});
  REQUIRE(behind.size() == 1);
  const std::vector<SpillAccess>& spills = behind.at(3);
  REQUIRE(spills.size() == 2);
  CHECK_FALSE(spills[0].is_load);
  CHECK(spills[0].word == 4);
  CHECK(spills[0].rate == 1);
  CHECK(spills[1].is_load);
  CHECK(spills[1].word == 2);
  CHECK(spills[1].words == 2);
  CHECK(spills[1].rate == 0.5);
}

TEST_CASE("A spill before every global access stands behind the first, and nowhere where there is none") {
  const std::vector<SassInstruction> code = {instruction(SassClass::local_store, 0),
                                             instruction(SassClass::global_load, 3)};
  const PtxCounts ptx{{3, counted_line(4, SassClass::global_load)}};
  CHECK(place_spills(code, ptx, std::vector<uint64_t>{4, 4}).at(3).size() == 1);
  CHECK(place_spills(code, {}, std::vector<uint64_t>{4, 4}).empty());
}

TEST_CASE("An array of the program's in local memory is no spill, nor is what was never issued") {
  const std::vector<SassInstruction> code = {instruction(SassClass::global_load, 3),
                                             instruction(SassClass::local_load, 4),
                                             instruction(SassClass::local_load, 0)};
  const PtxCounts ptx{{3, counted_line(4, SassClass::global_load)}, {4, counted_line(4, SassClass::local_load)}};
  CHECK_FALSE(is_spill(code[1], ptx));
  CHECK(is_spill(code[2], ptx));
  CHECK(place_spills(code, ptx, std::vector<uint64_t>{4, 4, 0}).empty());
}
