#include "warp_model/cache.h"

#include <algorithm>
#include <bit>

namespace ridge::warp_model {

namespace {
constexpr uint64_t kNoTag = ~uint64_t{0};
constexpr uint32_t kDrawn = 4;
}  // namespace

SectorCache::SectorCache(uint64_t bytes, uint32_t ways, Replacement replacement)
    : sets_(std::max<uint64_t>(1, bytes / (uint64_t{kLineBytes} * ways))),
      ways_(ways),
      replacement_(replacement),
      tags_(sets_ * ways, kNoTag),
      states_(sets_ * ways) {}

size_t SectorCache::lookup(uint64_t line) {
  const size_t first = line % sets_ * ways_;
  for (size_t place = first; place < first + ways_; ++place) {
    if (tags_[place] != line) continue;
    states_[place].used = ++clock_;
    return place;
  }
  return kAbsent;
}

SectorMask SectorCache::find(uint64_t line, SectorMask sectors) {
  const size_t place = lookup(line);
  return place == kAbsent ? SectorMask{0} : static_cast<SectorMask>(states_[place].present & sectors);
}

SectorMask SectorCache::dirty(uint64_t line, SectorMask sectors) {
  const size_t place = lookup(line);
  return place == kAbsent ? SectorMask{0} : static_cast<SectorMask>(states_[place].dirty & sectors);
}

size_t SectorCache::victim(uint64_t line) {
  const size_t first = line % sets_ * ways_;
  for (size_t place = first; place < first + ways_; ++place)
    if (tags_[place] == kNoTag) return place;
  size_t oldest = first;
  if (replacement_ == Replacement::oldest) {
    for (size_t place = first; place < first + ways_; ++place)
      if (states_[place].used < states_[oldest].used) oldest = place;
    return oldest;
  }
  for (uint32_t drawn = 0; drawn < kDrawn; ++drawn) {
    random_ ^= random_ << 13;  // Marsaglia's xorshift
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    const size_t place = first + random_ % ways_;
    if (drawn == 0 || states_[place].used < states_[oldest].used) oldest = place;
  }
  return oldest;
}

SectorMask SectorCache::fill(uint64_t line, SectorMask sectors, bool dirty) {
  size_t place = lookup(line);
  SectorMask written_back = 0;
  if (place == kAbsent) {
    place = victim(line);
    written_back = states_[place].dirty;
    tags_[place] = line;
    states_[place] = {++clock_, 0, 0};
  }
  states_[place].present |= sectors;
  if (dirty) states_[place].dirty |= sectors;
  return written_back;
}

void SectorCache::forget(uint64_t line, SectorMask sectors) {
  const size_t place = lookup(line);
  if (place == kAbsent) return;
  states_[place].present &= static_cast<SectorMask>(~sectors);
  states_[place].dirty &= states_[place].present;
  if (states_[place].present == 0) tags_[place] = kNoTag;
}

void SectorCache::clear() {
  std::fill(tags_.begin(), tags_.end(), kNoTag);
  std::fill(states_.begin(), states_.end(), State{});
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
  while (k + 1 < steps.size() && (steps[k] * kKilo < shared_bytes || steps[k] < 16))
    ++k;
  return static_cast<uint32_t>(steps[std::min(k + 1, steps.size() - 1)] * kKilo);
}

}  // namespace ridge::warp_model
