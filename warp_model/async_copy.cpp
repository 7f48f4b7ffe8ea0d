#include "warp_model/async_copy.h"

#include <algorithm>
#include <bit>

namespace ridge::warp_model {

namespace {

// True when the warp writes 32 neighbouring units: each phase then uses every bank once.
bool is_one_run(const uint64_t* shared, uint32_t mask, uint32_t bytes_per_lane) {
  uint64_t differs = ~mask;
  for (uint64_t lane = 0; lane < kWarpLanes; ++lane)
    differs |= shared[lane] ^ (shared[0] + lane * bytes_per_lane);
  return differs == 0;
}

}  // namespace

// A unit is what one lane writes. Of the different units of a bank, the first is served by the
// first wavefront of the phase, the second by the second one, and so on, whatever the other banks
// do: therefore each bank has its own list of units.
Wavefronts async_copy_wavefronts(const uint64_t* shared, uint32_t mask, uint32_t bytes_per_lane) {
  Wavefronts wavefronts;
  const uint32_t unit_bytes = std::max(bytes_per_lane, kBankBytes);
  const uint32_t phase_lanes = lanes_per_phase(bytes_per_lane);
  const auto lanes_from = [](uint32_t lanes, uint32_t first) {
    return (~0u >> (32 - lanes)) << first;
  };
  if (is_one_run(shared, mask, unit_bytes)) {
    for (uint32_t phase = 0; phase < kWarpLanes; phase += phase_lanes)
      wavefronts.lanes[wavefronts.count++] = lanes_from(phase_lanes, phase);
    return wavefronts;
  }
  const int unit_shift = std::countr_zero(unit_bytes);
  const uint64_t row_units = kBanks * kBankBytes / unit_bytes;
  constexpr uint8_t kNone = 0xff;
  uint8_t head[kBanks], next[kWarpLanes];  // of a bank's list: the lanes that name its units
  for (uint32_t phase = 0; phase < kWarpLanes; phase += phase_lanes) {
    const uint32_t first = wavefronts.count;
    std::fill(head, head + row_units, kNone);
    for (uint32_t rest = mask & lanes_from(phase_lanes, phase); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint64_t unit = shared[lane] >> unit_shift;
      uint32_t at = first;
      uint8_t* link = &head[unit % row_units];
      for (; *link != kNone && shared[*link] >> unit_shift != unit; link = &next[*link])
        ++at;
      if (*link == kNone) {
        *link = static_cast<uint8_t>(lane);
        next[lane] = kNone;
      }
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
