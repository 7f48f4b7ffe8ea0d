// The positions of a block's records when its warps are drawn as parallel rows: a column per record
// of a warp, and a common column at every barrier. The trace has the order in which the simulator
// ran the warps, one after the other, which is not an order in time.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/block_timeline.h"

namespace ridge::view {

struct WarpColumns {
  std::vector<uint32_t> of_record;
  std::vector<uint32_t> barriers;  // columns at which waiting warps continue together, ascending
  uint32_t count = 0;

  // The record of `warp` in this column, otherwise the nearest one before it, otherwise the warp's
  // first. The warp must have records.
  uint32_t record_at(const trace::BlockTimeline& timeline, uint32_t warp, double column) const;
};

// Warps that wait at a barrier continue in the column after the last arrival, beginning with the
// first record of any of them. Without barriers each warp's records are consecutive from column 0
// on.
WarpColumns columns_of(const trace::BlockTimeline& timeline);

}  // namespace ridge::view
