// Counts distinct sectors that were touched: a hash set of lines, each with a mask of sectors, with
// open addressing.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "warp_model/cache.h"

namespace ridge::observe {

class TouchedSectors {
 public:
  void touch(uint64_t line, warp_model::SectorMask sectors) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    uint64_t& slot = place(line);
    if (slot == 0) {
      slot = (line + 1) << 4;
      ++used_;
    }
    count_ += static_cast<uint64_t>(std::popcount(sectors & ~slot & 0xf));
    slot |= sectors;
  }
  uint64_t count() const { return count_; }

 private:
  // A slot contains line + 1 above 4 bits of sectors; 0 is free.
  uint64_t& place(uint64_t line) {
    const uint64_t mask = slots_.size() - 1;
    uint64_t at = line * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (slots_[at] != 0 && slots_[at] >> 4 != line + 1)
      at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<uint64_t> old(slots_.empty() ? 1024 : slots_.size() * 4);
    old.swap(slots_);
    for (const uint64_t slot : old)
      if (slot != 0) place((slot >> 4) - 1) = slot;
  }

  std::vector<uint64_t> slots_;
  uint64_t used_ = 0, count_ = 0;
};

}  // namespace ridge::observe
