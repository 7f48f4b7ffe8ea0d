// How often each sector of each array was touched by the recorded blocks, which of its bytes, and who wrote
// last.
#pragma once

#include <vector>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

struct SectorTouches {
  uint32_t reads = 0, writes = 0;
  uint32_t used = 0;        // bit k: byte k was asked for by some lane
  uint64_t last_block = 0;  // that touched it
};
struct ArrayTouches {
  size_t array = 0;                    // index in AccessTrace::arrays
  std::vector<SectorTouches> sectors;  // from the sector of the array's first byte
  uint32_t most = 0;
  uint64_t touched = 0, bytes_used = 0;
};

// Of arrays of global memory, in their order. Records beyond `most_records` are left out: `complete` says so.
struct Touches {
  std::vector<ArrayTouches> arrays;
  bool complete = true;
};
Touches touches_of(const LoadedTrace& trace, uint64_t most_records = 2'000'000);

}  // namespace ridge::view
