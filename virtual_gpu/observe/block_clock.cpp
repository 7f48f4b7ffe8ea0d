#include "virtual_gpu/observe/block_clock.h"

#include <algorithm>

#include "virtual_gpu/observe/vector_clones.h"

namespace ridge::observe {
namespace {

// In place of the stamp of a warp that the block does not have.
constexpr uint32_t kNobody = ~0u;

RIDGE_VECTOR uint32_t lowest_of(const uint32_t* stamps) {
  uint32_t lowest = kNobody;
  for (uint32_t warp = 0; warp < BlockClock::kWarps; ++warp)
    lowest = std::min(lowest, stamps[warp]);
  return lowest;
}

// How many stamps are later than `lowest`.
RIDGE_VECTOR uint32_t count_later(const uint32_t* stamps, uint32_t lowest) {
  uint32_t later = 0;
  for (uint32_t warp = 0; warp < BlockClock::kWarps; ++warp)
    later += stamps[warp] != kNobody && stamps[warp] > lowest ? 1 : 0;
  return later;
}

// Stamps of one warp that also knows what another knew.
RIDGE_VECTOR void add_seen(uint32_t* stamps, const uint32_t* seen) {
  for (uint32_t other = 0; other < BlockClock::kWarps; ++other)
    stamps[other] = std::max(stamps[other], seen[other]);
}

}  // namespace

bool BlockClock::begin(uint32_t warps) {
  const bool anew = now_ > kLastStamp / 2;
  now_ = anew ? 1 : now_ + 1;
  warps_ = std::min(warps, kWarps);
  meetings_ = 0;
  safe_.fill(kNobody);
  std::fill_n(safe_.begin(), warps_, now_);
  for (Stamps& stamps : seen_)
    stamps = safe_;
  for (auto& lanes : lane_met_)
    lanes.fill(now_);
  at_least_.fill(now_);
  met_.fill(now_);
  met_all_.fill(true);
  places_.clear();
  last_place_ = nullptr;
  return anew;
}

// What follows from the warp's row of seen_.
void BlockClock::look_back(uint32_t warp) {
  const Stamps& seen = seen_[warp];
  safe_[warp] = lowest_of(seen.data());
  // Its own stamp does not count.
  met_all_[warp] = count_later(seen.data(), safe_[warp]) == (seen[warp] > safe_[warp] ? 1 : 0);
}

uint32_t BlockClock::all_safe() const {
  return lowest_of(safe_.data());
}

BlockClock::Meeting& BlockClock::meeting(const machine::SyncPlace& place) {
  const uint64_t key = static_cast<uint64_t>(place.kind) << 60 ^ place.block << 24 ^ place.id;
  if (last_place_ == nullptr || key != last_key_) {
    last_place_ = &places_[key];
    last_key_ = key;
  }
  Meeting& found = (*last_place_)[place.phase % kPhasesKept];
  if (found.phase != place.phase) {
    found.phase = place.phase;
    found.stamps.fill(0);
  }
  return found;
}

// A block that synchronises a hundred million times keeps its last stamp: nothing is found in it any more.
void BlockClock::released(uint32_t warp, const machine::SyncPlace& place) {
  Stamps& stamps = meeting(place).stamps;
  add_seen(stamps.data(), seen_[warp].data());
  stamps[warp] = std::min(stamp(warp) + 1, kLastStamp);
  at_least_[warp] = stamps[warp];
}

void BlockClock::acquired(uint32_t warp, uint32_t, const machine::SyncPlace& place) {
  const Stamps& stamps = meeting(place).stamps;
  add_seen(seen_[warp].data(), stamps.data());
  at_least_[warp] = met_[warp] = std::min(std::max(now_, at_least_[warp] - 1) + 1, kLastStamp);
  look_back(warp);
  ++meetings_;
}

void BlockClock::warp_met(uint32_t warp, uint32_t mask, uint32_t live) {
  const uint32_t next = std::min(stamp(warp) + 1, kLastStamp);
  at_least_[warp] = next;
  if ((live & ~mask) == 0) {
    seen_[warp][warp] = next;
    look_back(warp);
    return;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1) lane_met_[warp][lane] = next;
  }
}

bool BlockClock::ordered(uint32_t thread, uint32_t other, uint32_t stamp) const {
  const uint32_t warp = thread / 32, other_warp = other / 32;
  if (stamp < seen_[warp][other_warp] || stamp >= kLastStamp) return true;
  if (warp != other_warp) return false;
  // Both met somebody of their warp since: they may have met each other.
  return stamp < lane_met_[warp][thread % 32] && stamp < lane_met_[warp][other % 32];
}

}  // namespace ridge::observe
