// Where each record of a block stands when its warps are drawn as parallel rows: a column per record of a
// warp, and a common column at every barrier. The trace has the order in which the simulator ran the warps,
// one after the other, which says nothing of time.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/block_timeline.h"

namespace ridge::view {

struct WarpColumns {
  std::vector<uint32_t> of_record;
  std::vector<uint32_t> barriers;  // columns at which the warps that waited go on together, ascending
  uint32_t count = 0;

  // The record of `warp` in this column, else the nearest one before it, else the warp's first. The warp must
  // have records.
  uint32_t record_at(const trace::BlockTimeline& timeline, uint32_t warp, double column) const;
};

// Warps that wait at barriers go on in the column after the last arrival, at the first record of any of them
// that follows. Without barriers each warp's records stand side by side from column 0 on.
WarpColumns columns_of(const trace::BlockTimeline& timeline);

}  // namespace ridge::view
