#include "warp_model/async_copy.h"

#include <bit>

namespace ridge::warp_model {

Wavefronts async_copy_wavefronts(const uint64_t* shared, uint32_t mask, uint32_t bytes_per_lane) {
  Wavefronts wavefronts;
  const uint32_t unit_bytes = std::max(bytes_per_lane, kBankBytes);
  const uint32_t phase_lanes = lanes_per_phase(bytes_per_lane);
  const uint64_t row_units = kBanks * kBankBytes / unit_bytes;
  for (uint32_t phase = 0; phase < kWarpLanes; phase += phase_lanes) {
    const uint32_t first = wavefronts.count;
    for (uint32_t lane = phase; lane < phase + phase_lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const uint64_t unit = shared[lane] / unit_bytes;
      // Find the first wavefront of the phase in which no lane uses another word of the bank.
      uint32_t at = first;
      const auto is_taken = [&](uint32_t lanes) {
        for (; lanes != 0; lanes &= lanes - 1) {
          const uint64_t other = shared[std::countr_zero(lanes)] / unit_bytes;
          if (other != unit && other % row_units == unit % row_units) return true;
        }
        return false;
      };
      while (at < wavefronts.count && is_taken(wavefronts.lanes[at]))
        ++at;
      wavefronts.count = std::max(wavefronts.count, at + 1);
      wavefronts.lanes[at] |= 1u << lane;
    }
  }
  return wavefronts;
}

GlobalCost async_copy_cost(const uint64_t* global, const uint64_t* shared, uint32_t mask,
                           uint32_t bytes_per_lane) {
  GlobalCost cost = global_cost(global, mask, bytes_per_lane);
  const Wavefronts wavefronts = async_copy_wavefronts(shared, mask, bytes_per_lane);
  if (wavefronts.count <= 1) return cost;
  cost.sectors = cost.tags = 0;
  for (uint32_t k = 0; k < wavefronts.count; ++k) {
    const GlobalCost part = global_cost(global, wavefronts.lanes[k], bytes_per_lane);
    cost.sectors += part.sectors;
    cost.tags += part.tags;
  }
  return cost;
}

}  // namespace ridge::warp_model
