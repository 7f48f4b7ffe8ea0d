// Completed bulk copies to a block's shared memory, and the warps that know of their completion.
//
// In the virtual GPU a copy completes when a thread waits for its mbarrier; on a GPU, at any time
// after its start. A warp that has neither waited for the phase nor synchronised with a warp that
// has may see the bytes here but not on a GPU; and a copy that it starts to the same place is not
// ordered with the first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/observe/races/block_clock.h"

namespace ridge::observe {

struct Landing {
  uint64_t serial = 0;  // 0: none
  uint64_t mbarrier = 0, phase = 0;
  uint32_t site = 0;  // where the copy was started
  bool reduces = false;
  std::array<uint32_t, BlockClock::kWarps> waits{};  // by warp: the stamp of its wait; 0: none
};

class LandedCopies {
 public:
  void begin(uint32_t warps);
  // Returns the number of the completed copy.
  uint64_t landed(uint64_t mbarrier, uint64_t phase, uint32_t site, bool reduces);
  // `warp` has waited for a phase of an mbarrier.
  void acquired(uint32_t warp, uint64_t mbarrier, uint64_t phase, uint32_t stamp);
  // nullptr: the entry was overwritten long ago.
  const Landing* find(uint64_t serial) const;
  static bool is_known(const Landing& landing, uint32_t warp, const BlockClock& clock);
  bool is_known_to_all(const Landing& landing, const BlockClock& clock) const;

 private:
  static constexpr size_t kKept = 64;
  std::vector<Landing> kept_;  // a ring buffer by serial; empty until the first entry
  uint64_t newest_ = 0;
  uint32_t warps_ = 0;
};

}  // namespace ridge::observe
