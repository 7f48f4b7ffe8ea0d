// Taking an access apart loses no word and no reader, and invents none.
#include "virtual_gpu/observe/races/lane_groups.h"

#include <bit>
#include <map>
#include <set>

#include "tests/catch.h"

using namespace ridge;

namespace {

// By word, the lanes that touch it: as the addresses say, and as the groups do (of three or more lanes a
// group that is no run names two).
using Readers = std::map<uint64_t, std::set<int>>;

Readers by_address(const uint64_t* addresses, uint32_t mask, uint32_t bytes) {
  Readers readers;
  for (int lane = 0; lane < 32; ++lane) {
    for (uint32_t byte = 0; (mask >> lane & 1) && byte < bytes; byte += 4)
      readers[(addresses[lane] + byte) / 4].insert(lane);
  }
  return readers;
}

Readers by_group(const observe::LaneGroups& groups, uint64_t first, uint32_t bytes) {
  Readers readers;
  for (const observe::LaneGroup& group : groups.groups) {
    for (uint32_t i = 0; i < group.words; ++i) {
      auto& here = readers[first / 4 + static_cast<uint64_t>(group.word) + i];
      if (group.is_run) {
        here.insert(group.lane + static_cast<int>(i / (bytes / 4)));
      } else {
        here.insert(group.lane);
        here.insert(group.other_lane);
      }
    }
  }
  return readers;
}

}  // namespace

TEST_CASE("groups of lanes touch the words that the lanes touch") {
  struct Row {
    const char* what;
    uint32_t bytes;
    uint64_t (*address)(uint64_t lane);
    bool are_runs;
  };
  const Row rows[] = {
      {"two rows of a tile", 4, [](uint64_t l) { return 512 + l / 16 * 256 + l % 16 * 4; }, true},
      {"two vectors for sixteen lanes each", 16, [](uint64_t l) { return 64 + l / 16 * 32; }, false},
      {"vectors with gaps, each for two lanes", 16, [](uint64_t l) { return l % 16 * 32; }, false},
      {"pairs side by side, twice", 8, [](uint64_t l) { return 1024 + l % 16 * 8; }, true},
      {"a column", 4, [](uint64_t l) { return l * 132; }, false},
      {"downwards", 4, [](uint64_t l) { return 4096 - l * 4; }, false},
      {"anywhere", 4, [](uint64_t l) { return l * 2654435761u % 512 * 4; }, false},
  };
  for (const Row& row : rows) {
    for (const uint32_t mask : {0xffffffffu, 0x0000ff00u, 0xf0f0f0f3u, 0x80000000u}) {
      CAPTURE(row.what, mask);
      uint64_t addresses[32];
      for (uint64_t lane = 0; lane < 32; ++lane)
        addresses[lane] = row.address(lane);
      machine::Access access;
      access.shape = machine::AccessShape::scattered;
      access.mask = mask;
      access.bytes = row.bytes;
      access.addresses = addresses;
      access.first = addresses[std::countr_zero(mask)];
      observe::LaneGroups groups;
      groups.find(access);
      const Readers expected = by_address(addresses, mask, row.bytes);
      const Readers found = by_group(groups, access.first, row.bytes);
      REQUIRE(found.size() == expected.size());
      for (const auto& [word, lanes] : expected) {
        REQUIRE(found.contains(word));
        for (const int lane : found.at(word))
          CHECK(lanes.contains(lane));
        CHECK((found.at(word).size() > 1) == (lanes.size() > 1));
      }
      const uint64_t base = access.first / 4;
      CHECK(base + static_cast<uint64_t>(groups.lowest) == expected.begin()->first);
      CHECK(base + static_cast<uint64_t>(groups.highest) == expected.rbegin()->first);
      if (mask == 0xffffffffu) CHECK(groups.are_runs == row.are_runs);
    }
  }
}
