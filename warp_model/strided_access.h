// Closed formulas for the access shapes that make up nearly all of a kernel: every lane at one
// address, or lane l at base + l * stride. They equal the general functions of access.h for every
// input (the tests compare them over a sweep) and take a few nanoseconds. Where no formula is known
// they call the general function.
//
// Derivation, for n lanes at distance s > 0 (a negative stride is the mirror image) of b bytes each:
//   sectors     There are s - b untouched bytes between two lanes. With fewer than 32, no sector is
//               skipped: every sector from the first to the last byte is touched. With 32 or more, no
//               two lanes share a sector: the result is n times the sectors of one lane.
//   tags        The same with 128 bytes.
//   wavefronts  In units of b bytes a row of banks holds U = 128 / b units, and lane l's unit is
//               u + l * t. Lanes i and j share a bank when (i - j) * t is a multiple of U, that is,
//               when i - j is a multiple of p = U / gcd(t, U). U is a power of two, so the gcd is the
//               lowest set bit of t, or U. L lanes of a phase then need ceil(L / p) wavefronts,
//               whatever the base.
#pragma once

#include "warp_model/access.h"

namespace ridge::warp_model {

// The lanes of an evenly spaced mask: first, first + step, ... (count of them). A full mask, the
// mask of `if (i < n)` and the masks of `if (thread % 4 == 0)` are evenly spaced. count 0: not
// evenly spaced, or no lane.
struct EvenLanes {
  uint32_t first = 0, step = 1, count = 0;
};

constexpr EvenLanes even_lanes(uint32_t mask) {
  if (mask == kFullMask) return {0, 1, kWarpLanes};
  if (mask == 0) return {};
  const uint32_t first = static_cast<uint32_t>(std::countr_zero(mask));
  const uint32_t from_first = mask >> first;
  // Distance from the first to the last lane.
  const uint32_t span =
      31u - static_cast<uint32_t>(std::countl_zero(from_first));
  if ((from_first & (from_first + 1)) == 0) return {first, 1, span + 1};
  const uint32_t step = static_cast<uint32_t>(std::countr_zero(from_first & (from_first - 1)));
  // A mask is evenly spaced when it equals itself shifted by one step: all lanes but the last,
  // moved by a step, are all lanes but the first.
  const uint32_t moved = (from_first ^ 1u << span) << step;
  return moved == (from_first ^ 1u) ? EvenLanes{first, step, span / step + 1} : EvenLanes{};
}

namespace detail {

// Number of aligned pieces of 1 << shift bytes that are touched by `count` intervals of `bytes` at
// distance `stride` > 0.
constexpr uint32_t pieces(uint64_t first, uint64_t stride, uint32_t bytes, uint32_t count, uint32_t shift) {
  const uint64_t last = first + stride * (count - 1) + bytes - 1;
  if (stride < bytes + (uint64_t{1} << shift))
    return static_cast<uint32_t>((last >> shift) - (first >> shift) + 1);
  const uint64_t inside = first & ((uint64_t{1} << shift) - 1);
  const uint64_t alignment = (first | stride) & ((uint64_t{1} << shift) - 1);
  // Intervals that begin at multiples of a power of two >= bytes do not straddle a boundary.
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
  // Start at the lowest address, in arithmetic modulo 2^64.
  const uint64_t step = static_cast<uint64_t>(stride) * lanes.step;
  const uint64_t distance = stride < 0 ? 0 - step : step;
  uint64_t lowest = base + static_cast<uint64_t>(stride) * lanes.first;
  if (stride < 0) lowest += step * (lanes.count - 1);
  const uint64_t distinct = std::min<uint64_t>(distance, bytes_per_lane) * (lanes.count - 1) + bytes_per_lane;
  return {1, detail::pieces(lowest, distance, bytes_per_lane, lanes.count, 5),
          static_cast<uint32_t>((distinct + kSectorBytes - 1) / kSectorBytes),
          detail::pieces(lowest, distance, bytes_per_lane, lanes.count, 7), lanes.count * bytes_per_lane};
}

// All lanes have the same offset: each word of the vector is one line, and each group of eight
// lanes with an active lane one sector of it.
inline GlobalCost local_cost_uniform(uint64_t offset, uint32_t bytes_per_lane, uint32_t mask = kFullMask) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  const uint32_t words = detail::pieces(offset, 1, bytes_per_lane, 1, 2);
  const uint32_t groups =
      ((mask & 0xff) != 0) + ((mask & 0xff00) != 0) + ((mask & 0xff0000) != 0) + ((mask >> 24) != 0);
  const uint32_t bytes = active_lanes(mask) * bytes_per_lane;
  return {1, words * groups, (bytes + kSectorBytes - 1) / kSectorBytes, words, bytes};
}

// The words of the vector are served one after the other, for all lanes at once.
inline uint32_t constant_wavefronts_uniform(uint64_t address, uint32_t bytes_per_lane,
                                        uint32_t mask = kFullMask) {
  return mask == 0 || bytes_per_lane == 0 ? 0 : detail::pieces(address, 1, bytes_per_lane, 1, 2);
}

inline SharedCost shared_cost_strided(uint64_t base, int64_t stride, uint32_t bytes_per_lane,
                                      uint32_t mask = kFullMask) {
  if (mask == 0 || bytes_per_lane == 0) return {};
  const uint32_t bytes = active_lanes(mask) * bytes_per_lane;
  // Accesses of one or two bytes at a small stride: the warp spans at most 26 neighbouring words,
  // all in different banks.
  if (bytes_per_lane <= kBankBytes && static_cast<uint64_t>(stride) + 3 <= 6) return {1, 1, 1, bytes};
  const uint32_t unit_bytes = std::max(bytes_per_lane, kBankBytes);
  // A word or a power-of-two vector at a multiple of its size. Accesses smaller than a word may lie
  // anywhere in it if all lanes have the same offset.
  const bool aligned = std::has_single_bit(bytes_per_lane) && bytes_per_lane <= kBanks * kBankBytes &&
                       (static_cast<uint64_t>(stride) & (unit_bytes - 1)) == 0 &&
                       (base & (bytes_per_lane - 1)) == 0;
  if (!aligned) return detail::shared_cost_unaligned(base, stride, bytes_per_lane, mask);
  // Units per row of banks, and lanes per phase.
  const uint32_t units = kBanks * kBankBytes / unit_bytes;
  // Lanes p apart share a bank; with stride 0 they share the word, which is not a conflict. Magnitude
  // and sign of the stride do not matter.
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
    if (period < units && (from_first & (from_first + 1)) == 0) {  // consecutive lanes
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

// As shared_load_cost(): different addresses share a phase only where one lane of every pair is
// inactive.
inline SharedCost shared_load_cost_strided(uint64_t base, int64_t stride, uint32_t bytes_per_lane,
                                           uint32_t mask = kFullMask) {
  const bool may_share = (bytes_per_lane == 8 || bytes_per_lane == 16) && (stride == 0 || mask != kFullMask);
  if (!may_share) return shared_cost_strided(base, stride, bytes_per_lane, mask);
  return detail::shared_load_cost_general(base, stride, bytes_per_lane, mask);
}

}  // namespace ridge::warp_model
