// Finds the phases that are shared by pairs of lanes with equal addresses.
#include "warp_model/shared_memory/lane_pairs.h"

#include <bit>
#include <utility>

namespace ridge::warp_model::detail {
namespace {

// The lanes of `half` that use the same address as their partner at `distance`, or whose partner is
// inactive.
bool pairs_agree(const uint64_t* addresses, uint32_t mask, uint32_t half, uint32_t distance) {
  const uint32_t active = mask & half;
  for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t partner = lane ^ distance;
    if (partner > lane && (active >> partner & 1) && addresses[partner] != addresses[lane]) return false;
  }
  return active != 0;
}

}  // namespace

LoadPhases load_phases(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  constexpr uint32_t kHalves[] = {0xffff, 0xffff0000}, kLowQuarters = 0x00ff00ff;
  LoadPhases phases;
  const auto add = [&](uint32_t lanes) { phases.lanes[phases.count++] = mask & lanes; };
  if (mask == 0 || (bytes_per_lane != 8 && bytes_per_lane != 16)) return phases;
  for (phases.distance = 1; phases.distance <= 2 && phases.count == 0; ++phases.distance) {
    const bool low = pairs_agree(addresses, mask, kHalves[0], phases.distance),
               high = pairs_agree(addresses, mask, kHalves[1], phases.distance);
    if (bytes_per_lane == 8) {
      if ((low || (mask & kHalves[0]) == 0) && (high || (mask & kHalves[1]) == 0)) add(~0u);
      continue;
    }
    if (!low && !high) continue;
    for (const auto& [half, is_shared] : {std::pair{kHalves[0], low}, std::pair{kHalves[1], high}}) {
      add(is_shared ? half : half & kLowQuarters);
      if (!is_shared) add(half & ~kLowQuarters);
    }
  }
  if (phases.count == 0) return phases;
  --phases.distance;  // of the pairs found
  phases.is_plain = false;
  return phases;
}

}  // namespace ridge::warp_model::detail
