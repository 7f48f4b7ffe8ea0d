#include "virtual_gpu/observe/copies/landed_copies.h"

#include <algorithm>

namespace ridge::observe {

void LandedCopies::begin(uint32_t warps) {
  warps_ = warps;
  if (newest_ != 0) std::fill(kept_.begin(), kept_.end(), Landing{});
  newest_ = 0;
}

uint64_t LandedCopies::landed(uint64_t mbarrier, uint64_t phase, uint32_t site, bool reduces) {
  if (kept_.empty()) kept_.resize(kKept);
  const Landing& last = kept_[newest_ % kKept];
  if (last.serial != 0 && last.mbarrier == mbarrier && last.phase == phase && last.site == site &&
      last.reduces == reduces)
    return newest_;
  ++newest_;
  kept_[newest_ % kKept] = {newest_, mbarrier, phase, site, reduces, {}};
  return newest_;
}

void LandedCopies::acquired(uint32_t warp, uint64_t mbarrier, uint64_t phase, uint32_t stamp) {
  for (size_t i = 0; i < std::min<uint64_t>(newest_, kKept); ++i) {
    Landing& landing = kept_[(newest_ - i) % kKept];
    if (landing.mbarrier == mbarrier && landing.phase <= phase && landing.waits[warp] == 0)
      landing.waits[warp] = stamp;
  }
}

const Landing* LandedCopies::find(uint64_t serial) const {
  if (serial == 0 || kept_[serial % kKept].serial != serial) return nullptr;
  return &kept_[serial % kKept];
}

bool LandedCopies::is_known(const Landing& landing, uint32_t warp, const BlockClock& clock) {
  if (landing.waits[warp] != 0) return true;
  for (uint32_t other = 0; other < BlockClock::kWarps; ++other) {
    const uint32_t stamp = landing.waits[other];
    if (stamp != 0 && (stamp < clock.seen(warp, other) || stamp >= BlockClock::kLastStamp)) return true;
  }
  return false;
}

bool LandedCopies::is_known_to_all(const Landing& landing, const BlockClock& clock) const {
  for (uint32_t warp = 0; warp < warps_; ++warp) {
    if (!is_known(landing, warp, clock)) return false;
  }
  return true;
}

}  // namespace ridge::observe
