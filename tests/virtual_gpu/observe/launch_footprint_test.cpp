// Which accesses conflict with what a launch has touched, byte by byte.
#include "virtual_gpu/observe/races/launch_footprint.h"

#include "tests/catch.h"
#include "virtual_gpu/observe/races/dependent_launch.h"

using namespace ridge::observe;

namespace {

constexpr uint64_t kArray = 0x7f0000001000;  // the beginning of a page

struct Row {
  const char* what;
  uint64_t offset, bytes;
  bool writes;
  bool conflicts;
  uint64_t at;  // offset of the first byte in conflict
};

}  // namespace

TEST_CASE("an access conflicts with a launch where both touch a byte and one of them writes it") {
  LaunchFootprint launch;
  launch.add(kArray + 60, 8, true, 7);     // over the end of a word of 64 bytes
  launch.add(kArray + 4090, 12, true, 8);  // over the end of a page
  launch.add(kArray + 200, 4, false, 9);   // only read
  launch.name_lines({{7, "a.cu:7"}, {8, "a.cu:8"}, {9, "a.cu:9"}});
  const Row rows[] = {
      {"before it", 56, 4, false, false, 0},
      {"its first byte", 60, 1, false, true, 60},
      {"its last byte", 67, 1, true, true, 67},
      {"behind it", 68, 4, true, false, 0},
      {"around it", 0, 128, false, true, 60},
      {"the end of a page", 4095, 1, false, true, 4095},
      {"the next page", 4096, 6, false, true, 4096},
      {"behind that", 4102, 4, false, false, 0},
      {"a read of what is only read", 200, 4, false, false, 0},
      {"a write to what is read", 203, 2, true, true, 203},
      {"another page", 3 * 4096, 64, true, false, 0},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const auto conflict = launch.conflict_with(kArray + row.offset, row.bytes, row.writes);
    CHECK(conflict.has_value() == row.conflicts);
    if (conflict) CHECK(conflict->address == kArray + row.at);
  }
  CHECK(launch.conflict_with(kArray + 200, 4, true)->line == "a.cu:9");
  CHECK_FALSE(launch.conflict_with(kArray + 200, 4, true)->writes);
  CHECK(launch.conflict_with(kArray + 60, 4, true)->writes);
}

TEST_CASE("merged footprints conflict with what either conflicts with") {
  LaunchFootprint one, other;
  one.add(kArray, 4, true, 1);
  other.add(kArray + 8, 4, true, 2);
  other.add(kArray + 8192, 4, false, 3);
  one.merge(other);
  CHECK(one.conflict_with(kArray, 4, false));
  CHECK(one.conflict_with(kArray + 8, 4, false));
  CHECK(one.conflict_with(kArray + 8192, 4, true));
  CHECK_FALSE(one.conflict_with(kArray + 4, 4, true));
  CHECK(one.instructions().count(3) == 1);
}

TEST_CASE("behind a launch that triggers before it waits, those ahead of it may be running too") {
  FinishedLaunch last;
  last.touched = std::make_shared<LaunchFootprint>();
  for (int i = 0; i < 6; ++i)
    last.before.push_back(std::make_shared<LaunchFootprint>());
  CHECK(may_be_running_behind(last) == Footprints{last.touched});
  last.triggers_before_wait = true;
  const Footprints running = may_be_running_behind(last);
  REQUIRE(running.size() == 4);  // the newest ones
  CHECK(running[0] == last.touched);
  CHECK(running[1] == last.before[0]);
}
