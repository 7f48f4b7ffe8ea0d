// Where the mbarriers of a block were initialised, and which of their uses are ordered after that.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/observe/races/block_clock.h"

namespace ridge::observe {

struct MbarrierStart {
  uint64_t offset = 0;
  uint32_t thread = 0, stamp = 0, site = 0;
  uint32_t warps_after = 0;  // one bit per warp whose threads are all ordered after it
  // is_fenced: after the initialisation the warp has executed a fence that makes it visible to the
  // async proxy and to the cluster (fence.mbarrier_init, fence.proxy.async). is_released: it has
  // released to the cluster without such a fence.
  bool is_fenced = false, is_released = false;
};

class MbarrierStarts {
 public:
  void clear() { starts_.clear(); }
  void note(const MbarrierStart& start) {
    MbarrierStart* known = find(start.offset);
    if (known != nullptr)
      *known = start;
    else
      starts_.push_back(start);
  }
  // The warp has synchronised with the rest of the block, and of its cluster, without ordering
  // memory; that is sufficient here.
  void synchronized(uint32_t warp) {
    for (MbarrierStart& start : starts_)
      start.warps_after |= 1u << warp;
  }
  void fenced(uint32_t warp) {
    for (MbarrierStart& start : starts_)
      start.is_fenced |= start.thread / 32 == warp;
  }
  void released_to_cluster(uint32_t warp) {
    for (MbarrierStart& start : starts_)
      start.is_released |= start.thread / 32 == warp;
  }
  // nullptr: no thread of the block has initialised it.
  MbarrierStart* find(uint64_t offset) {
    for (MbarrierStart& start : starts_) {
      if (start.offset == offset) return &start;
    }
    return nullptr;
  }
  // The first lane of `mask` whose thread is not ordered after the initialisation, or -1.
  static int early_lane(MbarrierStart& start, const BlockClock& clock, uint32_t warp, uint32_t mask) {
    if (start.warps_after >> warp & 1) return -1;
    if (clock.seen(warp, start.thread / 32) > start.stamp) {
      start.warps_after |= 1u << warp;
      return -1;
    }
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t thread = warp * 32 + lane;
      if ((mask >> lane & 1) && thread != start.thread && !clock.ordered(thread, start.thread, start.stamp))
        return static_cast<int>(lane);
    }
    return -1;
  }

 private:
  std::vector<MbarrierStart> starts_;
};

}  // namespace ridge::observe
