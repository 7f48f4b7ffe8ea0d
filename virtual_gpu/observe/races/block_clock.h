// Who has seen what of whom, inside a block. Time is a count of synchronisations: an access is stamped with
// it, and for each warp and each other warp there is the stamp below which the other's accesses came before.
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

  // A new block; stamps of the blocks before it lie in the past of all its threads. True: stamps began anew,
  // and whoever keeps old ones has to forget them.
  bool begin(uint32_t warps);
  uint32_t now() const { return now_; }
  // The stamp of an access that `warp` makes: later than what it released before, and than what it has seen.
  uint32_t stamp(uint32_t warp) {
    if (now_ < at_least_[warp]) now_ = at_least_[warp];
    return now_;
  }
  // What the block has done so far is stamped this or earlier, what it does from here on later.
  uint32_t publish() {
    const uint32_t until = now_;
    if (now_ < kLastStamp) ++now_;
    return until;
  }
  // Accesses of any other thread stamped below this come before what `warp` does now.
  uint32_t safe_before(uint32_t warp) const { return safe_[warp]; }
  // The same for what any warp does now.
  uint32_t all_safe() const;
  // all_safe() > stamp; mostly a look at the warp that was last to meet the others.
  bool all_safe_after(uint32_t stamp);
  uint32_t seen(uint32_t warp, uint32_t other_warp) const { return seen_[warp][other_warp]; }
  // Whether something that thread `other` did, stamped `stamp` or later, was not before any meeting of
  // `warp`, and the last of them was one of all warps.
  bool since_all_met(uint32_t warp, uint32_t stamp, uint32_t other) const {
    if (other / 32 == warp && lane_met_[warp][other % 32] > met_[warp]) return false;
    return met_all_[warp] && stamp >= met_[warp];
  }
  // Whether what `other` did at `stamp` comes before what `thread` does now (different threads of the block).
  bool ordered(uint32_t thread, uint32_t other, uint32_t stamp) const;
  // How often threads of different warps have met: nothing is ordered between two accesses at the same count,
  // unless a single warp or thread made them.
  uint32_t meetings() const { return meetings_; }

  void released(uint32_t warp, const machine::SyncPlace& place);
  void acquired(uint32_t warp, uint32_t mask, const machine::SyncPlace& place);
  // The lanes of `mask` of a warp, whose live lanes are `live`, met.
  void warp_met(uint32_t warp, uint32_t mask, uint32_t live);

 private:
  using Stamps = std::array<uint32_t, kWarps>;
  struct Meeting {
    uint64_t phase = ~0ull;
    Stamps stamps{};
  };
  static constexpr size_t kPhasesKept = 4;
  using Place = std::array<Meeting, kPhasesKept>;

  Meeting& meeting(const machine::SyncPlace& place);
  void hear(uint32_t warp, const Stamps& stamps);

  uint32_t now_ = 0, warps_ = 1, meetings_ = 0;
  uint32_t slowest_ = 0;  // a warp that was last when all_safe_after() looked
  Stamps safe_{}, at_least_{}, met_{};
  std::array<bool, kWarps> met_all_{};
  std::array<Stamps, kWarps> seen_{};
  std::array<std::array<uint32_t, 32>, kWarps> lane_met_{};  // when each lane last met others of its warp
  std::unordered_map<uint64_t, Place> places_;
  uint64_t last_key_ = 0;
  Place* last_place_ = nullptr;  // the one of last_key_
};

}  // namespace ridge::observe
