// A cache as a GPU has it: sets of lines of 128 bytes, of which each 32-byte sector is there or not.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "warp_model/access.h"
#include "warp_model/device.h"

namespace ridge::warp_model {

// Who goes when a set is full: the line that was not used for longest, of all in the set or of a few drawn by
// a fixed sequence (so that the same accesses give the same answer).
enum class Replacement : uint8_t { oldest, oldest_of_a_few };

using SectorMask = uint8_t;  // bit k: bytes 32 k to 32 k + 31 of a line
inline uint32_t sector_count(SectorMask sectors) {
  return static_cast<uint32_t>(std::popcount(sectors));
}

class SectorCache {
 public:
  SectorCache(uint64_t bytes, uint32_t ways, Replacement replacement);

  // Which of the sectors of line `address >> 7` are there. They are used by this; nothing is filled.
  SectorMask find(uint64_t line, SectorMask sectors);
  // Puts sectors in, `dirty` when they were written. Returns the dirty sectors of the line that had to go.
  SectorMask fill(uint64_t line, SectorMask sectors, bool dirty);
  SectorMask dirty(uint64_t line, SectorMask sectors);  // those that were written
  void forget(uint64_t line, SectorMask sectors);
  void clear();
  uint64_t bytes() const { return uint64_t{kLineBytes} * ways_ * sets_; }

 private:
  static constexpr size_t kAbsent = ~size_t{0};
  struct State {
    uint32_t used = 0;
    SectorMask present = 0, dirty = 0;
  };
  size_t lookup(uint64_t line);  // its place, or kAbsent
  size_t victim(uint64_t line);

  uint64_t sets_;
  uint32_t ways_;
  Replacement replacement_;
  uint32_t clock_ = 0;
  uint32_t random_ = 0x9e3779b9u;
  std::vector<uint64_t> tags_;  // [set][way]
  std::vector<State> states_;
};

// The shared memory that the driver sets aside on an SM whose resident blocks need `shared_bytes` together
// (each with what the system reserves); the rest of the array is L1. NVIDIA does not document the choice. On
// an H200 with driver 580 it was, for 70 launches: up to 7 KB get 8 KB, more gets the step above the smallest
// that holds them.
uint32_t driver_carveout_bytes(const DeviceDescription& device, uint64_t shared_bytes);

}  // namespace ridge::warp_model
