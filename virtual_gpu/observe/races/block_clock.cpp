#include "virtual_gpu/observe/races/block_clock.h"

#include <algorithm>

#include "virtual_gpu/observe/vector_clones.h"

namespace ridge::observe {
namespace {

// Replaces the stamp of a warp that the block does not have.
constexpr uint32_t kNoEpoch = ~0u;

RIDGE_VECTOR uint32_t lowest_of(const uint32_t* stamps) {
  uint32_t lowest = kNoEpoch;
  for (uint32_t warp = 0; warp < BlockClock::kWarps; ++warp)
    lowest = std::min(lowest, stamps[warp]);
  return lowest;
}

struct Past {
  uint32_t lowest = 0, later = 0;
};

// Summarises the stamps of one warp after merging those of another: the lowest, and how many are
// later than it.
RIDGE_VECTOR Past add_pattern_slot(uint32_t* stamps, const uint32_t* seen) {
  uint32_t now[BlockClock::kWarps], lowest = kNoEpoch, later = 0;
  for (uint32_t other = 0; other < BlockClock::kWarps; ++other)
    now[other] = std::max(stamps[other], seen[other]);
  for (uint32_t other = 0; other < BlockClock::kWarps; ++other)
    stamps[other] = now[other];
  for (uint32_t other = 0; other < BlockClock::kWarps; ++other)
    lowest = std::min(lowest, now[other]);
  for (uint32_t other = 0; other < BlockClock::kWarps; ++other)
    later += now[other] != kNoEpoch && now[other] > lowest ? 1 : 0;
  return {lowest, later};
}

}  // namespace

bool BlockClock::begin(uint32_t warps) {
  const bool anew = now_ > kLastStamp / 2;
  now_ = anew ? 1 : now_ + 1;
  warps_ = std::min(warps, kWarps);
  synchronizations_ = slowest_ = 0;
  safe_.fill(kNoEpoch);
  std::fill_n(safe_.begin(), warps_, now_);
  for (Stamps& stamps : seen_)
    stamps = safe_;
  for (auto& lanes : lane_epoch_)
    lanes.fill(now_);
  at_least_.fill(now_);
  warp_epoch_.fill(now_);
  synchronized_all_.fill(true);
  places_.clear();
  last_place_ = nullptr;
  return anew;
}

// Merges `stamps` into the clock of the warp, with everything that follows from them.
void BlockClock::join(uint32_t warp, const Stamps& stamps) {
  Stamps& seen = seen_[warp];
  const Past past = add_pattern_slot(seen.data(), stamps.data());
  safe_[warp] = past.lowest;
  // The warp's own stamp does not count.
  synchronized_all_[warp] = past.later == (seen[warp] > past.lowest ? 1 : 0);
}

uint32_t BlockClock::all_safe() const {
  return lowest_of(safe_.data());
}

bool BlockClock::all_safe_after(uint32_t stamp) {
  if (safe_[slowest_] <= stamp) return false;
  const uint32_t lowest = all_safe();
  slowest_ = kWarps - 1;
  while (safe_[slowest_] != lowest)
    --slowest_;
  return lowest > stamp;
}

BlockClock::BarrierEpoch& BlockClock::epoch_at(const machine::SyncPlace& place) {
  const uint64_t key = static_cast<uint64_t>(place.kind) << 60 ^ place.block << 24 ^ place.id;
  if (last_place_ == nullptr || key != last_key_) {
    last_place_ = &places_[key];
    last_key_ = key;
  }
  BarrierEpoch& found = (*last_place_)[place.phase % kPhasesKept];
  if (found.phase != place.phase) {
    found.phase = place.phase;
    found.stamps.fill(0);
  }
  return found;
}

// After a hundred million synchronisations the block keeps its last stamp, and nothing more is
// detected in it.
void BlockClock::released(uint32_t warp, const machine::SyncPlace& place) {
  Stamps& stamps = epoch_at(place).stamps;
  add_pattern_slot(stamps.data(), seen_[warp].data());
  stamps[warp] = std::min(stamp(warp) + 1, kLastStamp);
  at_least_[warp] = stamps[warp];
}

void BlockClock::acquired(uint32_t warp, uint32_t, const machine::SyncPlace& place) {
  const Stamps& stamps = epoch_at(place).stamps;
  join(warp, stamps);
  at_least_[warp] = warp_epoch_[warp] = std::min(std::max(now_, at_least_[warp] - 1) + 1, kLastStamp);
  ++synchronizations_;
}

void BlockClock::warp_synchronized(uint32_t warp, uint32_t mask, uint32_t live) {
  const uint32_t next = std::min(stamp(warp) + 1, kLastStamp);
  at_least_[warp] = next;
  if ((live & ~mask) == 0) {
    seen_[warp][warp] = next;
    join(warp, seen_[warp]);
    return;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1) lane_epoch_[warp][lane] = next;
  }
}

bool BlockClock::ordered(uint32_t thread, uint32_t other, uint32_t stamp) const {
  const uint32_t warp = thread / 32, other_warp = other / 32;
  if (stamp < seen_[warp][other_warp] || stamp >= kLastStamp) return true;
  if (warp != other_warp) return false;
  // Both have synchronised with threads of their warp since, perhaps with each other.
  return stamp < lane_epoch_[warp][thread % 32] && stamp < lane_epoch_[warp][other % 32];
}

}  // namespace ridge::observe
