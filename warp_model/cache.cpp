#include "warp_model/cache.h"

#include <algorithm>
#include <bit>

namespace ridge::warp_model {

SectorCache::SectorCache(uint64_t bytes, uint32_t ways, Replacement replacement)
    : sets_(std::max<uint64_t>(1, bytes / (uint64_t{kLineBytes} * ways))),
      ways_(ways),
      replacement_(replacement),
      lines_(sets_ * ways) {}

SectorCache::Line* SectorCache::lookup(uint64_t line) {
  Line* set = lines_.data() + line % sets_ * ways_;
  for (uint32_t way = 0; way < ways_; ++way) {
    if (set[way].tag == line) {
      set[way].used = ++clock_;
      return set + way;
    }
  }
  return nullptr;
}

SectorMask SectorCache::find(uint64_t line, SectorMask sectors) {
  const Line* found = lookup(line);
  return found == nullptr ? SectorMask{0} : static_cast<SectorMask>(found->present & sectors);
}

SectorCache::Line& SectorCache::victim(uint64_t line) {
  Line* set = lines_.data() + line % sets_ * ways_;
  Line* oldest = set;
  for (uint32_t way = 0; way < ways_; ++way) {
    if (set[way].present == 0) return set[way];
    if (set[way].used < oldest->used) oldest = set + way;
  }
  if (replacement_ == Replacement::oldest) return *oldest;
  random_ ^= random_ << 13;  // Marsaglia's xorshift
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return set[random_ % ways_];
}

SectorMask SectorCache::fill(uint64_t line, SectorMask sectors, bool dirty) {
  Line* place = lookup(line);
  SectorMask written_back = 0;
  if (place == nullptr) {
    place = &victim(line);
    written_back = place->dirty;
    *place = {line, ++clock_, 0, 0};
  }
  place->present |= sectors;
  if (dirty) place->dirty |= sectors;
  return written_back;
}

void SectorCache::forget(uint64_t line, SectorMask sectors) {
  Line* found = lookup(line);
  if (found == nullptr) return;
  found->present &= static_cast<SectorMask>(~sectors);
  found->dirty &= found->present;
  if (found->present == 0) found->tag = ~uint64_t{0};
}

void SectorCache::clear() {
  std::fill(lines_.begin(), lines_.end(), Line{});
  clock_ = 0;
}

uint32_t driver_carveout_bytes(const DeviceDescription& device, uint64_t shared_bytes) {
  constexpr uint64_t kKilo = 1024;
  const auto& steps = device.shared_carveouts_kb;
  if (steps.empty()) return 0;
  if (shared_bytes < 8 * kKilo) {
    for (const uint32_t step : steps)
      if (step * kKilo >= shared_bytes && step >= 8) return static_cast<uint32_t>(step * kKilo);
  }
  size_t k = 0;
  while (k + 1 < steps.size() && steps[k] * kKilo <= shared_bytes)
    ++k;
  return static_cast<uint32_t>(steps[std::min(k + 1, steps.size() - 1)] * kKilo);
}

}  // namespace ridge::warp_model
