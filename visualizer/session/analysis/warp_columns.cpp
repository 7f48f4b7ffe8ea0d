// Arranges the records of a block in columns, by warp.
#include "visualizer/session/analysis/warp_columns.h"

#include <algorithm>

namespace ridge::view {

WarpColumns columns_of(const trace::BlockTimeline& timeline) {
  WarpColumns columns;
  columns.of_record.reserve(timeline.size());
  std::vector<uint32_t> next(timeline.warps()), waiting;
  std::vector<bool> waits(timeline.warps());
  for (const trace::RecordMark& mark : timeline.marks()) {
    if (waits[mark.warp]) {
      uint32_t together = 0;
      for (const uint32_t warp : waiting)
        together = std::max(together, next[warp]);
      for (const uint32_t warp : waiting)
        next[warp] = together, waits[warp] = false;
      waiting.clear();
      if (columns.barriers.empty() || columns.barriers.back() < together) columns.barriers.push_back(together);
    }
    columns.of_record.push_back(next[mark.warp]++);
    columns.count = std::max(columns.count, next[mark.warp]);
    if (mark.kind == trace::RecordKind::barrier) waits[mark.warp] = true, waiting.push_back(mark.warp);
  }
  return columns;
}

uint32_t WarpColumns::record_at(const trace::BlockTimeline& timeline, uint32_t warp, double column) const {
  const auto records = timeline.of_warp(warp);
  const auto after = std::upper_bound(records.begin(), records.end(), column,
                                      [&](double at, uint32_t record) { return at < of_record[record]; });
  return after == records.begin() ? records.front() : *(after - 1);
}

}  // namespace ridge::view
