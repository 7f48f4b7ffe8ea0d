// Bulk copies that have landed in a block's shared memory, and which warps know it.
//
// In the virtual GPU a copy lands when a thread waits for its mbarrier; on a GPU, at any time after its start.
// A warp that has neither waited for the phase nor synchronised since with a warp that has may see the bytes
// here and not on a GPU; and a copy that it starts to the same place is unordered with the first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/observe/races/block_clock.h"

namespace ridge::observe {

struct Landing {
  uint64_t serial = 0;  // 0: none
  uint64_t mbarrier = 0, phase = 0;
  uint32_t site = 0;  // that started the copy
  bool reduces = false;
  std::array<uint32_t, BlockClock::kWarps> waits{};  // by warp: the stamp of its wait for it; 0: none
};

class LandedCopies {
 public:
  void begin(uint32_t warps);
  // The number of the landing.
  uint64_t landed(uint64_t mbarrier, uint64_t phase, uint32_t site, bool reduces);
  // `warp` has waited for a phase of an mbarrier.
  void acquired(uint32_t warp, uint64_t mbarrier, uint64_t phase, uint32_t stamp);
  // nullptr: long ago.
  const Landing* find(uint64_t serial) const;
  static bool is_known(const Landing& landing, uint32_t warp, const BlockClock& clock);
  bool is_known_to_all(const Landing& landing, const BlockClock& clock) const;

 private:
  static constexpr size_t kKept = 64;
  std::vector<Landing> kept_;  // a ring, by serial; empty until the first
  uint64_t newest_ = 0;
  uint32_t warps_ = 0;
};

}  // namespace ridge::observe
