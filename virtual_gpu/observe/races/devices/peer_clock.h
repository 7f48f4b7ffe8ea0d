// Vector clocks of warps across blocks, launches and devices. Time is a stamp per warp, which grows
// with each release; lanes of one warp share it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "virtual_gpu/observe/races/devices/task_clock.h"

namespace ridge::observe {

inline constexpr uint32_t kWarpsPerBlock = 32;

// By warp of a block: its accesses with a smaller stamp happened before.
using WarpStamps = std::array<uint32_t, kWarpsPerBlock>;

void raise(WarpStamps& stamps, const WarpStamps& other);

// A block of a launch: the launch's number and the linear index of the block.
using BlockKey = uint64_t;
inline BlockKey block_key(uint32_t launch, uint64_t block) {
  return uint64_t{launch} << 40 | block;
}
inline uint32_t launch_of(BlockKey key) {
  return static_cast<uint32_t>(key >> 40);
}
inline uint64_t block_index_of(BlockKey key) {
  return key & ((uint64_t{1} << 40) - 1);
}

// What happened before in other tasks and other blocks; shared and never changed.
struct PeerPast {
  TaskClock tasks;
  std::vector<std::pair<BlockKey, std::shared_ptr<const WarpStamps>>> blocks;  // sorted

  // True when that access happened before.
  bool covers(BlockKey block, uint32_t warp, uint32_t stamp) const;
};
using PastRef = std::shared_ptr<const PeerPast>;

PastRef joined(const PastRef& one, const PastRef& other);
PastRef joined(const PastRef& one, BlockKey block, const std::shared_ptr<const WarpStamps>& stamps);

// What a warp knew at one time: its own block's stamps, and the past elsewhere.
struct ClockSnapshot {
  BlockKey block = 0;
  std::shared_ptr<const WarpStamps> stamps;
  PastRef past;

  bool covers(BlockKey other, uint32_t warp, uint32_t stamp) const {
    return other == block ? (*stamps)[warp] > stamp
                          : past != nullptr && past->covers(other, warp, stamp);
  }
};
using SnapshotRef = std::shared_ptr<const ClockSnapshot>;

}  // namespace ridge::observe
