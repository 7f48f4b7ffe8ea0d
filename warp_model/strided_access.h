// Closed formulas for the access shapes that make up nearly all of a kernel: every lane at one address, or
// lane l at base + l * stride. They equal the general functions of access.h for every input (the tests
// compare them over a sweep) and cost a few nanoseconds; where no formula is known they call the general
// function.
//
// Why they hold, for n lanes at distance s > 0 (a negative stride is the mirror image) asking for b bytes
// each:
//   sectors  Between two lanes lie s - b unasked bytes. Fewer than 32 cannot hide a sector: every one from
//   the first byte
//            to the last is touched. 32 or more keep two lanes from sharing one: n times what a lane touches
//            alone.
//   tags     the same with 128.
//   wavefronts  In units of b bytes a row of banks holds U = 128 / b units, and lane l's unit is u + l * t.
//   Lanes i and j
//            share a bank when (i - j) * t is a multiple of U, that is when i - j is one of p = U / gcd(t,
//            U). U is a power of two, so the gcd is t's lowest bit or U. L lanes of a phase then need ceil(L
//            / p) wavefronts, whatever the base.
#pragma once

#include "warp_model/access.h"

namespace ridge::warp_model {

// Lanes of a mask that lie evenly: first, first + step, ... (count of them). A full mask, the mask of `if (i
// < n)` and the masks of `if (thread % 4 == 0)` are even. count 0: not even, or no lane.
struct EvenLanes {
  uint32_t first = 0, step = 1, count = 0;
};

constexpr EvenLanes even_lanes(uint32_t mask) {
  if (mask == kFullMask) return {0, 1, kWarpLanes};
  if (mask == 0) return {};
  const uint32_t first = static_cast<uint32_t>(std::countr_zero(mask));
  const uint32_t from_first = mask >> first;
  const uint32_t span =
      31u - static_cast<uint32_t>(std::countl_zero(from_first));  // from the first to the last
  if ((from_first & (from_first + 1)) == 0) return {first, 1, span + 1};
  const uint32_t step = static_cast<uint32_t>(std::countr_zero(from_first & (from_first - 1)));
  // Evenly spaced is to be one's own shifted self: all but the last lane moved up by a step are all but the
  // first.
  const uint32_t moved = (from_first ^ 1u << span) << step;
  return moved == (from_first ^ 1u) ? EvenLanes{first, step, span / step + 1} : EvenLanes{};
}

namespace detail {

// Distinct `grain`-byte pieces touched by `count` intervals of `bytes` at distance `stride` > 0 (grain a
// power of two).
constexpr uint32_t pieces(uint64_t first, uint64_t stride, uint32_t bytes, uint32_t count, uint32_t shift) {
  const uint64_t last = first + stride * (count - 1) + bytes - 1;
  if (stride < bytes + (uint64_t{1} << shift))
    return static_cast<uint32_t>((last >> shift) - (first >> shift) + 1);
  const uint64_t inside = first & ((uint64_t{1} << shift) - 1);
  const uint64_t alignment = (first | stride) & ((uint64_t{1} << shift) - 1);
  // Lanes on multiples of a power of two >= bytes never straddle.
  if (alignment == 0 || (alignment & -alignment) >= bytes) {
    if (inside + bytes <= (uint64_t{1} << shift)) return count;
  }
  uint32_t total = 0;
  for (uint32_t lane = 0; lane < count; ++lane) {
    const uint64_t begin = first + stride * lane;
    total += static_cast<uint32_t>(((begin + bytes - 1) >> shift) - (begin >> shift) + 1);
  }
  return total;
}

void fill_strided(uint64_t base, int64_t stride, uint64_t* addresses);
GlobalCost global_cost_uneven(uint64_t base, int64_t stride, uint32_t bytes_per_lane, uint32_t mask);
SharedCost shared_cost_unaligned(uint64_t base, int64_t stride, uint32_t bytes_per_lane, uint32_t mask);
SharedCost shared_load_cost_general(uint64_t base, int64_t stride, uint32_t bytes_per_lane, uint32_t mask);

}  // namespace detail

inline GlobalCost global_cost_uniform(uint64_t address, uint32_t bytes_per_lane, uint32_t mask = kFullMask) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  return {1, detail::pieces(address, 1, bytes_per_lane, 1, 5),
          (bytes_per_lane + kSectorBytes - 1) / kSectorBytes,
          detail::pieces(address, 1, bytes_per_lane, 1, 7), active_lanes(mask) * bytes_per_lane};
}

inline GlobalCost global_cost_strided(uint64_t base, int64_t stride, uint32_t bytes_per_lane,
                                      uint32_t mask = kFullMask) {
  if (stride == 0) return global_cost_uniform(base, bytes_per_lane, mask);
  if (mask == 0 || bytes_per_lane == 0) return {};
  const EvenLanes lanes = even_lanes(mask);
  if (lanes.count == 0) return detail::global_cost_uneven(base, stride, bytes_per_lane, mask);
  // Lowest address first, in arithmetic modulo 2^64.
  const uint64_t step = static_cast<uint64_t>(stride) * lanes.step;
  const uint64_t distance = stride < 0 ? 0 - step : step;
  uint64_t lowest = base + static_cast<uint64_t>(stride) * lanes.first;
  if (stride < 0) lowest += step * (lanes.count - 1);
  const uint64_t distinct = std::min<uint64_t>(distance, bytes_per_lane) * (lanes.count - 1) + bytes_per_lane;
  return {1, detail::pieces(lowest, distance, bytes_per_lane, lanes.count, 5),
          static_cast<uint32_t>((distinct + kSectorBytes - 1) / kSectorBytes),
          detail::pieces(lowest, distance, bytes_per_lane, lanes.count, 7), lanes.count * bytes_per_lane};
}

// Lanes that agree on the offset: the words of the vector, each in one line, for each group of eight lanes
// that is there.
inline GlobalCost local_cost_uniform(uint64_t offset, uint32_t bytes_per_lane, uint32_t mask = kFullMask) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  const uint32_t words = detail::pieces(offset, 1, bytes_per_lane, 1, 2);
  const uint32_t groups =
      ((mask & 0xff) != 0) + ((mask & 0xff00) != 0) + ((mask & 0xff0000) != 0) + ((mask >> 24) != 0);
  const uint32_t bytes = active_lanes(mask) * bytes_per_lane;
  return {1, words * groups, (bytes + kSectorBytes - 1) / kSectorBytes, words, bytes};
}

// The words of the vector, one after the other, whoever asks.
inline uint32_t constant_wavefronts_uniform(uint64_t address, uint32_t bytes_per_lane,
                                        uint32_t mask = kFullMask) {
  return mask == 0 || bytes_per_lane == 0 ? 0 : detail::pieces(address, 1, bytes_per_lane, 1, 2);
}

inline SharedCost shared_cost_strided(uint64_t base, int64_t stride, uint32_t bytes_per_lane,
                                      uint32_t mask = kFullMask) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  const uint32_t bytes = active_lanes(mask) * bytes_per_lane;
  // Bytes and halves side by side: the warp spans at most 26 neighbouring words, all in different banks.
  if (bytes_per_lane <= kBankBytes && static_cast<uint64_t>(stride) + 3 <= 6) return {1, 1, 1, bytes};
  const uint32_t unit_bytes = std::max(bytes_per_lane, kBankBytes);
  // A word or a power-of-two vector on its own multiple; lanes below a word may lie anywhere inside one, if
  // all alike.
  const bool aligned = std::has_single_bit(bytes_per_lane) && bytes_per_lane <= kBanks * kBankBytes &&
                       (static_cast<uint64_t>(stride) & (unit_bytes - 1)) == 0 &&
                       (base & (bytes_per_lane - 1)) == 0;
  if (!aligned) return detail::shared_cost_unaligned(base, stride, bytes_per_lane, mask);
  const uint32_t units = kBanks * kBankBytes / unit_bytes;  // in a row of banks, and lanes in a phase
  // Lanes p apart share a bank; with stride 0 they share the word, which is free. Magnitude and sign do not
  // matter.
  const uint32_t t =
      static_cast<uint32_t>(static_cast<uint64_t>(stride) >> std::countr_zero(unit_bytes)) & (units - 1);
  const uint32_t period = stride == 0 ? units : t == 0 ? 1 : units / (t & (0 - t));
  if (mask == kFullMask) {
    const uint32_t phases = kWarpLanes / units;
    return {1, phases * (units / period), phases, bytes};
  }
  SharedCost cost{1, 0, 0, bytes};
  const uint64_t phase_mask = (uint64_t{1} << units) - 1;
  for (uint32_t lane = 0; lane < kWarpLanes; lane += units) {
    const uint32_t active = static_cast<uint32_t>((mask >> lane) & phase_mask);
    if (active == 0) continue;
    ++cost.ideal_wavefronts;
    const uint32_t from_first = active >> std::countr_zero(active);
    uint32_t most = 1;
    if (period < units && (from_first & (from_first + 1)) == 0) {  // neighbours
      const uint32_t lanes = 32u - static_cast<uint32_t>(std::countl_zero(from_first));
      most = (lanes + period - 1) >> std::countr_zero(period);
    } else if (period < units) {
      uint32_t same_bank = 1;  // lanes 0, p, 2p, ... of the phase
      for (uint32_t distance = period; distance < units; distance *= 2)
        same_bank |= same_bank << distance;
      for (uint32_t r = 0; r < period; ++r) {
        most = std::max(most, active_lanes(active & (same_bank << r)));
      }
    }
    cost.wavefronts += most;
  }
  return cost;
}

// shared_load_cost(): different addresses share a phase only where one lane of every pair is inactive.
inline SharedCost shared_load_cost_strided(uint64_t base, int64_t stride, uint32_t bytes_per_lane,
                                           uint32_t mask = kFullMask) {
  const bool may_share = (bytes_per_lane == 8 || bytes_per_lane == 16) && (stride == 0 || mask != kFullMask);
  if (!may_share) return shared_cost_strided(base, stride, bytes_per_lane, mask);
  return detail::shared_load_cost_general(base, stride, bytes_per_lane, mask);
}

inline SharedCost shared_cost_uniform(uint64_t address, uint32_t bytes_per_lane, uint32_t mask = kFullMask) {
  return shared_cost_strided(address, 0, bytes_per_lane, mask);
}

}  // namespace ridge::warp_model
