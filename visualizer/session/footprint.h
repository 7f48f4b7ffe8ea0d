// Which sectors a record touches and which of their bytes, by lane: what the Warp view draws.
#pragma once

#include <vector>

#include "trace/access_trace.h"
#include "warp_model/access.h"

namespace ridge::view {

struct TouchedSector {
  uint64_t sector = 0;  // address / 32
  uint32_t used = 0;    // bit k: byte k was asked for
  uint32_t lanes = 0;   // who asked
};
struct TouchedLine {
  uint64_t line = 0;                   // address / 128
  std::vector<TouchedSector> sectors;  // ascending, only those touched
};

// By address. At most `most` lines, the first ones; `left_out` says how many there are beyond.
struct Footprint {
  std::vector<TouchedLine> lines;
  uint64_t left_out = 0;
};
Footprint footprint_of(const trace::TraceRecord& record, size_t most = 64);

}  // namespace ridge::view
