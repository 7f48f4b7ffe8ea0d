// An access whose lanes lie neither side by side nor all at one place, taken apart into pieces that do: rows
// of a tile that half a warp reads each, a few vectors that many lanes share. What the pieces are depends on
// the distances between the lanes alone, so it is worked out once and holds as long as the access repeats
// itself.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

struct LaneGroup {
  int64_t word = 0;  // the first, counted from the word of the access's first lane
  uint32_t words = 0;
  uint8_t lane = 0,
          other_lane = 0;  // !is_run: a lane that reads all these words, and another when there is one
  bool is_run = false;     // lane, lane + 1, ... have their words one behind the other
};

struct LaneGroups {
  bool is_known = false;            // what follows
  bool is_simple = false;           // the access is one run or uniform, and is not taken apart
  bool are_runs = false;            // every group is a run
  int64_t lowest = 0, highest = 0;  // words, counted likewise: the first and the last of all
  std::vector<LaneGroup> groups;

  // `access` in whole words, aligned to them; idle lanes do not count.
  void find(const machine::Access& access);
};

}  // namespace ridge::observe
