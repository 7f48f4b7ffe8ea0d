// What the parts of cp.async share: the lanes of a copy, and the groups that lanes have committed.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/memory/transfer.h"

namespace ridge::machine {

// Copies each lane's bytes. Usually all lanes copy the same number, which is then a compile-time
// constant.
template <class Copy>
inline void for_each_lane(uint32_t lanes, uint32_t bytes, const Copy& copy) {
  const auto each = [&](auto count) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      copy(static_cast<size_t>(std::countr_zero(rest)), count());
  };
  if (bytes == 16) return each([] { return size_t{16}; });
  if (bytes == 8) return each([] { return size_t{8}; });
  each([] { return size_t{4}; });
}

// True when all lanes are active and each begins where the one before it ends.
inline bool is_row(const Addresses& addresses, uint32_t mask, uint32_t bytes) {
  return mask == kAllLanes && addresses.summary.shape == AccessShape::strided &&
         addresses.summary.stride == static_cast<int64_t>(bytes);
}

// `bytes` per lane, in calls whose size the compiler knows.
inline void copy_row(void* to, const void* from, uint32_t bytes) {
  if (bytes == 4) std::memcpy(to, from, 4 * kLanes);
  if (bytes == 8) std::memcpy(to, from, 8 * kLanes);
  if (bytes == 16) std::memcpy(to, from, 16 * kLanes);
}

// Usually all lanes have committed equally many groups.
inline bool are_equal(const std::array<uint32_t, kLanes>& groups) {
  return std::memcmp(groups.data(), groups.data() + 1, sizeof groups - sizeof groups[0]) == 0;
}

inline uint32_t lanes_in_group(const std::array<uint32_t, kLanes>& groups, uint32_t group) {
  if (are_equal(groups)) return groups[0] == group ? kAllLanes : 0;
  uint32_t lanes = 0;
  for (size_t lane = 0; lane < kLanes; ++lane)
    lanes |= uint32_t{groups[lane] == group} << lane;
  return lanes;
}

}  // namespace ridge::machine
