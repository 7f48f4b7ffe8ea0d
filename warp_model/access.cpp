#include "warp_model/access.h"

#include <array>

#include "warp_model/lane_compare.h"
#include "warp_model/shared_memory/lane_pairs.h"
#include "warp_model/strided_access.h"

namespace ridge::warp_model {
namespace {

// Most words that one lane can touch: a misaligned access of 128 bytes.
constexpr uint32_t kMaxWordsPerLane = kBanks + 1;

uint32_t log2_of(uint32_t power_of_two) {
  return static_cast<uint32_t>(std::countr_zero(power_of_two));
}

// For any size, alignment and distance: sorts the lanes' intervals and sweeps over them once.
GlobalCost global_cost_by_sorting(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  std::array<uint64_t, kWarpLanes> begins;
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if (mask >> lane & 1) begins[count++] = addresses[lane];
  }
  std::sort(begins.begin(), begins.begin() + count);
  GlobalCost cost{1, 0, 0, 0, count * bytes_per_lane};
  uint64_t distinct_bytes = 0, byte = begins[0], sector = begins[0] >> 5,
           line = begins[0] >> 7;  // the lowest ones not yet counted
  for (uint32_t k = 0; k < count; ++k) {
    const uint64_t last = begins[k] + bytes_per_lane - 1;
    byte = std::max(byte, begins[k]);
    sector = std::max(sector, begins[k] >> 5);
    line = std::max(line, begins[k] >> 7);
    distinct_bytes += last + 1 - byte;
    cost.sectors += static_cast<uint32_t>((last >> 5) + 1 - sector);
    cost.tags += static_cast<uint32_t>((last >> 7) + 1 - line);
    byte = last + 1;
    sector = (last >> 5) + 1;
    line = (last >> 7) + 1;
  }
  cost.ideal_sectors = static_cast<uint32_t>((distinct_bytes + kSectorBytes - 1) / kSectorBytes);
  return cost;
}

// The words that lanes [begin, end) touch, sorted, without duplicates. `tag(lane)` separates words
// of different kinds.
struct WordSet {
  std::array<uint64_t, kWarpLanes * kMaxWordsPerLane> words;
  uint32_t count = 0;

  template <typename Tag>
  WordSet(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane, Tag tag) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const uint64_t last = (addresses[lane] + bytes_per_lane - 1) >> 2;
      for (uint64_t word = addresses[lane] >> 2; word <= last; ++word)
        words[count++] = word << 2 | tag(lane);
    }
    std::sort(words.begin(), words.begin() + count);
    count = static_cast<uint32_t>(std::unique(words.begin(), words.begin() + count) - words.begin());
  }
};

uint32_t most_words_in_a_bank(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  const WordSet set(addresses, mask, bytes_per_lane, [](uint32_t) { return 0u; });
  std::array<uint32_t, kBanks> words_in_bank{};
  uint32_t most = 0;
  for (uint32_t k = 0; k < set.count; ++k) {
    most = std::max(most, ++words_in_bank[set.words[k] >> 2 & (kBanks - 1)]);
  }
  return most;
}

SharedCost shared_cost_by_sorting(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  SharedCost cost{1, 0, 0, active_lanes(mask) * bytes_per_lane};
  const uint32_t lanes = lanes_per_phase(bytes_per_lane);
  for (uint32_t lane = 0; lane < kWarpLanes; lane += lanes) {
    const uint32_t active = mask & static_cast<uint32_t>(((uint64_t{1} << lanes) - 1) << lane);
    if (active == 0) continue;
    ++cost.ideal_wavefronts;
    cost.wavefronts += most_words_in_a_bank(addresses, active, bytes_per_lane);
  }
  return cost;
}

}  // namespace

GlobalCost global_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  // Fast case: naturally aligned accesses of at most one sector. The lanes then access equal or
  // disjoint elements, and each element lies in one sector.
  const bool simple = std::has_single_bit(bytes_per_lane) && bytes_per_lane <= kSectorBytes;
  detail::DistinctCounts distinct;
  if (!simple || !detail::distinct_counts(addresses, mask, log2_of(bytes_per_lane), distinct)) {
    return global_cost_by_sorting(addresses, mask, bytes_per_lane);
  }
  return {1, distinct.sectors, (distinct.elements * bytes_per_lane + kSectorBytes - 1) / kSectorBytes,
          distinct.lines, active_lanes(mask) * bytes_per_lane};
}

GlobalCost local_cost(const uint64_t* offsets, uint32_t mask, uint32_t bytes_per_lane) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  // The physical address of lane l's word w is 128 w + 4 l. A sector holds one word of eight
  // neighbouring lanes, a line one word of all lanes.
  const WordSet set(offsets, mask, bytes_per_lane, [](uint32_t lane) { return lane / 8; });
  GlobalCost cost{1, set.count, 0, 0, active_lanes(mask) * bytes_per_lane};
  for (uint32_t k = 0; k < set.count; ++k) {
    cost.tags += k == 0 || set.words[k] >> 2 != set.words[k - 1] >> 2;
  }
  cost.ideal_sectors = (cost.bytes + kSectorBytes - 1) / kSectorBytes;
  return cost;
}

SharedCost shared_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  // An aligned vector fills all banks of its unit, so units conflict as words do.
  const uint32_t unit_bytes = std::max(bytes_per_lane, kBankBytes);
  const bool simple = std::has_single_bit(bytes_per_lane) && bytes_per_lane <= kBanks * kBankBytes;
  alignas(32) uint8_t rank[kWarpLanes];
  if (!simple || !detail::conflict_ranks(addresses, mask, log2_of(unit_bytes), bytes_per_lane, rank)) {
    return shared_cost_by_sorting(addresses, mask, bytes_per_lane);
  }
  // Units per row of banks, and lanes per phase.
  const uint32_t units = kBanks * kBankBytes / unit_bytes;
  SharedCost cost{1, 0, 0, active_lanes(mask) * bytes_per_lane};
  for (uint32_t lane = 0; lane < kWarpLanes; lane += units) {
    if ((mask >> lane & static_cast<uint32_t>((uint64_t{1} << units) - 1)) == 0) continue;
    ++cost.ideal_wavefronts;
    cost.wavefronts += 1u + *std::max_element(rank + lane, rank + lane + units);
  }
  return cost;
}

SharedCost shared_load_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  const detail::LoadPhases phases = detail::load_phases(addresses, mask, bytes_per_lane);
  if (phases.is_plain) return shared_cost(addresses, mask, bytes_per_lane);
  // Keep one lane of each pair with equal addresses. The kept lanes are packed so that shared_cost(),
  // which divides lanes into phases as stores do, finds the phases of this load.
  uint64_t packed[kWarpLanes];
  uint32_t packed_mask = 0;
  for (uint32_t k = 0; k < phases.count; ++k) {
    uint32_t to = k * lanes_per_phase(bytes_per_lane);
    for (uint32_t rest = phases.lanes[k]; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint32_t partner = lane ^ phases.distance;
      const bool is_second = (lane & phases.distance) != 0 && (phases.lanes[k] >> partner & 1);
      if (is_second && addresses[partner] == addresses[lane]) continue;
      packed[to] = addresses[lane];
      packed_mask |= 1u << to++;
    }
  }
  SharedCost cost = shared_cost(packed, packed_mask, bytes_per_lane);
  cost.bytes = active_lanes(mask) * bytes_per_lane;
  return cost;
}

SharedCost shared_atomic_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  SharedCost cost{1, 0, 0, active_lanes(mask) * bytes_per_lane};
  const uint32_t lanes = lanes_per_phase(bytes_per_lane);
  for (uint32_t first = 0; first < kWarpLanes; first += lanes) {
    std::array<uint8_t, kBanks> in_bank{};
    uint8_t most = 0;
    for (uint32_t lane = first; lane < first + lanes; ++lane) {
      if (mask >> lane & 1) most = std::max(most, ++in_bank[addresses[lane] >> 2 & (kBanks - 1)]);
    }
    if (most == 0) continue;
    ++cost.ideal_wavefronts;
    cost.wavefronts += most;
  }
  return cost;
}

uint32_t constant_wavefronts(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  if (mask == 0 || bytes_per_lane == 0) return 0;
  return WordSet(addresses, mask, bytes_per_lane, [](uint32_t) { return 0u; }).count;
}

GlobalCost global_atomic_cost(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane) {
  GlobalCost cost = global_cost(addresses, mask, bytes_per_lane);
  // At the first lane of each address: number of lanes that use it.
  uint32_t lanes[kWarpLanes] = {};
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    uint32_t first = static_cast<uint32_t>(std::countr_zero(mask));
    while (first < lane && (!(mask >> first & 1) || addresses[first] != addresses[lane]))
      ++first;
    ++lanes[first];
  }
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if (lanes[lane] < 2) continue;
    // Only the most used address of a sector counts, once more for each of its lanes but the first.
    bool is_most = true;
    for (uint32_t other = 0; other < kWarpLanes; ++other) {
      if (other == lane || lanes[other] == 0) continue;
      if (addresses[other] / kSectorBytes != addresses[lane] / kSectorBytes) continue;
      is_most &= lanes[other] < lanes[lane] || (lanes[other] == lanes[lane] && other > lane);
    }
    if (is_most) cost.sectors += lanes[lane] - 1;
  }
  return cost;
}

namespace detail {

void fill_strided(uint64_t base, int64_t stride, uint64_t* addresses) {
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    addresses[lane] = base + static_cast<uint64_t>(stride) * lane;
}

GlobalCost global_cost_uneven(uint64_t base, int64_t stride, uint32_t bytes_per_lane, uint32_t mask) {
  uint64_t addresses[kWarpLanes];
  fill_strided(base, stride, addresses);
  return global_cost(addresses, mask, bytes_per_lane);
}

SharedCost shared_load_cost_general(uint64_t base, int64_t stride, uint32_t bytes_per_lane, uint32_t mask) {
  uint64_t addresses[kWarpLanes];
  fill_strided(base, stride, addresses);
  return shared_load_cost(addresses, mask, bytes_per_lane);
}

SharedCost shared_cost_unaligned(uint64_t base, int64_t stride, uint32_t bytes_per_lane, uint32_t mask) {
  uint64_t addresses[kWarpLanes];
  fill_strided(base, stride, addresses);
  return shared_cost(addresses, mask, bytes_per_lane);
}

}  // namespace detail
}  // namespace ridge::warp_model
