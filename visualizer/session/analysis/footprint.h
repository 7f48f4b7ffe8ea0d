// The sectors that a record touches, and which lanes use which of their bytes, for the Warp view.
#pragma once

#include <vector>

#include "trace/access_trace.h"
#include "warp_model/access.h"

namespace ridge::view {

// The position of byte `byte` of a lane: its address or, in local memory, where a line of 128 bytes
// has the same word of all 32 lanes, offset / 4 * 128 + lane * 4.
uint64_t place_of(const trace::TraceRecord& record, uint32_t lane, uint32_t byte = 0);

struct TouchedSector {
  uint64_t sector = 0;  // place / 32
  uint32_t used = 0;    // bit k: byte k is used
  uint32_t lanes = 0;   // the lanes that use it
};
struct TouchedLine {
  uint64_t line = 0;                   // place / 128
  std::vector<TouchedSector> sectors;  // ascending; only touched ones
};

// By position. At most `most` lines, the first ones; `left_out` is the number of further lines.
struct Footprint {
  std::vector<TouchedLine> lines;
  uint64_t left_out = 0;
};
Footprint footprint_of(const trace::TraceRecord& record, size_t most = 64);

}  // namespace ridge::view
