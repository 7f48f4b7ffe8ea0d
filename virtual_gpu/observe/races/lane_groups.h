// Splits an access whose lanes are neither consecutive nor all at one address into groups that are:
// rows of a tile that half a warp reads each, or a few vectors that many lanes share. The groups
// depend only on the distances between lanes, so they are computed once and remain valid while the
// access repeats.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

struct LaneGroup {
  int64_t word = 0;  // the first word, relative to the first word of the access's first lane
  uint32_t words = 0;
  uint8_t lane = 0,
          // !is_run: a lane that reads all these words, and another if there is one.
          other_lane = 0;
  bool is_run = false;     // lanes lane, lane + 1, ... have consecutive words
};

struct LaneGroups {
  bool is_known = false;            // the members below are set
  bool is_simple = false;           // the access is one run or uniform, and is not split
  bool are_runs = false;            // every group is a run
  int64_t lowest = 0, highest = 0;  // the first and the last word of all, relative as above
  std::vector<LaneGroup> groups;

  // `access` in whole, aligned words; inactive lanes are ignored.
  void find(const machine::Access& access);
};

}  // namespace ridge::observe
