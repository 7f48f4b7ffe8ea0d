// Vector clocks of a block's warps. Time is a count of synchronisations; each access gets a stamp.
// For each pair of warps the clock has the stamp below which the other warp's accesses happened
// before.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

class BlockClock {
 public:
  static constexpr uint32_t kWarps = 32;
  static constexpr uint32_t kLastStamp = (1u << 27) - 1;

  // Starts a new block; stamps of earlier blocks precede all its accesses. Returns true when stamps
  // restarted from 0: callers must discard stored ones.
  bool begin(uint32_t warps);
  uint32_t now() const { return now_; }
  // The stamp of an access by `warp`: later than what it released before, and than what it has
  // acquired.
  uint32_t stamp(uint32_t warp) {
    if (now_ < at_least_[warp]) now_ = at_least_[warp];
    return now_;
  }
  // Stamps of the block's accesses so far are at most the returned one; those of later accesses are
  // larger.
  uint32_t publish() {
    const uint32_t until = now_;
    if (now_ < kLastStamp) ++now_;
    return until;
  }
  // Accesses of any other thread with a smaller stamp happen before what `warp` does now.
  uint32_t safe_before(uint32_t warp) const { return safe_[warp]; }
  // The same for what any warp does now.
  uint32_t all_safe() const;
  // all_safe() > stamp. Usually compares only with the warp that synchronised last.
  bool all_safe_after(uint32_t stamp);
  uint32_t seen(uint32_t warp, uint32_t other_warp) const { return seen_[warp][other_warp]; }
  // True when an access of thread `other` with at least this stamp follows every synchronisation of
  // `warp`, the last of which was a barrier of all warps.
  bool since_barrier_of_all(uint32_t warp, uint32_t stamp, uint32_t other) const {
    if (other / 32 == warp && lane_epoch_[warp][other % 32] > warp_epoch_[warp]) return false;
    return synchronized_all_[warp] && stamp >= warp_epoch_[warp];
  }
  // True when what `other` did at `stamp` happens before what `thread` does now (different threads
  // of the block).
  bool ordered(uint32_t thread, uint32_t other, uint32_t stamp) const;
  // Number of synchronisations between threads of different warps: two accesses at the same count
  // are unordered, unless one warp or thread made both.
  uint32_t synchronizations() const { return synchronizations_; }

  void released(uint32_t warp, const machine::SyncPlace& place);
  void acquired(uint32_t warp, uint32_t mask, const machine::SyncPlace& place);
  // The lanes of `mask` of a warp with live lanes `live` have synchronised.
  void warp_synchronized(uint32_t warp, uint32_t mask, uint32_t live);

 private:
  using Stamps = std::array<uint32_t, kWarps>;
  struct BarrierEpoch {
    uint64_t phase = ~0ull;
    Stamps stamps{};
  };
  static constexpr size_t kPhasesKept = 4;
  using Place = std::array<BarrierEpoch, kPhasesKept>;

  BarrierEpoch& epoch_at(const machine::SyncPlace& place);
  void join(uint32_t warp, const Stamps& stamps);

  uint32_t now_ = 0, warps_ = 1, synchronizations_ = 0;
  uint32_t slowest_ = 0;  // a warp that was last in an earlier all_safe_after()
  Stamps safe_{}, at_least_{}, warp_epoch_{};
  std::array<bool, kWarps> synchronized_all_{};
  std::array<Stamps, kWarps> seen_{};
  // When each lane last synchronised with others of its warp.
  std::array<std::array<uint32_t, 32>, kWarps> lane_epoch_{};
  std::unordered_map<uint64_t, Place> places_;
  uint64_t last_key_ = 0;
  Place* last_place_ = nullptr;  // the place of last_key_
};

}  // namespace ridge::observe
