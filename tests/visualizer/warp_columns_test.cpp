// The rows of the strip: warps side by side, aligned at barriers, whatever the simulator's order was.
#include "visualizer/session/analysis/warp_columns.h"

#include "tests/catch.h"
#include "tests/visualizer/hand_made.h"

namespace ridge::view {
namespace {

constexpr HandMade of_warp(uint32_t warp) {
  HandMade one;
  one.warp = warp;
  return one;
}
constexpr HandMade barrier(uint32_t warp) {
  HandMade one = of_warp(warp);
  one.kind = trace::RecordKind::barrier, one.space = trace::RecordSpace::none;
  return one;
}

}  // namespace

TEST_CASE("warps stand in parallel columns and go on together after a barrier") {
  struct Case {
    const char* name;
    std::vector<HandMade> records;
    std::vector<uint32_t> columns, barriers;
  };
  const Case cases[] = {
      {"one warp after the other", {of_warp(0), of_warp(0), of_warp(1), of_warp(1)}, {0, 1, 0, 1}, {}},
      {"a barrier after unequal work",
       {of_warp(0), of_warp(0), of_warp(0), barrier(0), of_warp(1), barrier(1), of_warp(0), of_warp(1)},
       {0, 1, 2, 3, 0, 1, 4, 4},
       {4}},
      {"a barrier of one warp", {barrier(0), of_warp(0), barrier(0), of_warp(0)}, {0, 1, 2, 3}, {1, 3}},
      {"a barrier that nobody leaves", {of_warp(0), barrier(0), barrier(1)}, {0, 1, 0}, {}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const auto loaded = hand_made(c.records);
    const WarpColumns columns = columns_of(loaded->timelines()[0]);
    CHECK(columns.of_record == c.columns);
    CHECK(columns.barriers == c.barriers);
  }
}

TEST_CASE("a column of a warp's row leads back to its record") {
  const auto loaded = hand_made({of_warp(0), of_warp(0), barrier(0), of_warp(1), barrier(1), of_warp(1)});
  const trace::BlockTimeline& timeline = loaded->timelines()[0];
  const WarpColumns columns = columns_of(timeline);
  CHECK(columns.count == 4);
  CHECK(columns.record_at(timeline, 0, 1.5) == 1);
  CHECK(columns.record_at(timeline, 1, 0.5) == 3);
  CHECK(columns.record_at(timeline, 1, 2.9) == 4);  // it waits there
  CHECK(columns.record_at(timeline, 1, 3) == 5);
  CHECK(columns.record_at(timeline, 0, -1) == 0);
}

}  // namespace ridge::view
