// A cache like a GPU's: sets of 128-byte lines whose 32-byte sectors are valid or invalid each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "warp_model/access.h"
#include "warp_model/device.h"

namespace ridge::warp_model {

// Which line is evicted from a full set: the least recently used one, among all lines of the set or
// among a few drawn from a fixed sequence (so that equal accesses give equal results).
enum class Replacement : uint8_t { oldest, oldest_of_a_few };

using SectorMask = uint8_t;  // bit k: bytes 32 k to 32 k + 31 of a line
inline uint32_t sector_count(SectorMask sectors) {
  return static_cast<uint32_t>(std::popcount(sectors));
}

class SectorCache {
 public:
  SectorCache(uint64_t bytes, uint32_t ways, Replacement replacement);

  // Returns the valid ones of `sectors` in line `address >> 7` and marks the line as used. Fills
  // nothing.
  SectorMask find(uint64_t line, SectorMask sectors);
  // Makes sectors valid, and dirty when `dirty` is set. Returns the dirty sectors of the line that
  // was evicted.
  SectorMask fill(uint64_t line, SectorMask sectors, bool dirty);
  SectorMask dirty(uint64_t line, SectorMask sectors);  // the sectors that were written
  void forget(uint64_t line, SectorMask sectors);
  void clear();
  uint64_t bytes() const { return uint64_t{kLineBytes} * ways_ * sets_; }

 private:
  static constexpr size_t kAbsent = ~size_t{0};
  struct State {
    uint32_t used = 0;
    SectorMask present = 0, dirty = 0;
  };
  size_t lookup(uint64_t line);  // index of the line, or kAbsent
  size_t victim(uint64_t line);

  uint64_t sets_;
  uint32_t ways_;
  Replacement replacement_;
  uint32_t clock_ = 0;
  uint32_t random_ = 0x9e3779b9u;
  std::vector<uint64_t> tags_;  // [set][way]
  std::vector<State> states_;
};

// The carve-out: the shared memory that the driver reserves on an SM whose resident blocks need
// `shared_bytes` in total (including the system's part of each block). The rest of the array is L1.
// NVIDIA does not document the choice. Observed on an H200 with driver 580 for 70 launches: up to 7
// KB get 8 KB; larger requests get the step above the smallest one that holds them.
uint32_t driver_carveout_bytes(const DeviceDescription& device, uint64_t shared_bytes);

}  // namespace ridge::warp_model
