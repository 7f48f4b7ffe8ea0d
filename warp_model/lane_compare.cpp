#include "warp_model/lane_compare.h"

#include <bit>
#include <cstring>

namespace ridge::warp_model::detail {
namespace {

// Vectors of the compiler: two 16-byte operations each on plain x86-64, one on AVX2.
using Words = int32_t __attribute__((vector_size(32)));
using Quads = uint64_t __attribute__((vector_size(32)));
using Bytes = uint8_t __attribute__((vector_size(32)));
using FourWords = int32_t __attribute__((vector_size(16)));
using EightBytes = uint8_t __attribute__((vector_size(8)));

constexpr int kLanes = 32, kWordLanes = 8, kQuadLanes = 4;
// Larger than every key: for inactive lanes and those before lane 0.
constexpr int32_t kNoKey = 1 << 30;
constexpr Words kWordBits{1, 2, 4, 8, 16, 32, 64, 128}, kWordIndex{0, 1, 2, 3, 4, 5, 6, 7};
constexpr Quads kQuadBits{1, 2, 4, 8};

// Vectors are passed by reference: their calling convention depends on the instruction set.
template <typename Vector, typename T>
[[gnu::always_inline]] inline void load(Vector& vector, const T* from) {
  std::memcpy(&vector, from, sizeof vector);
}

// The addresses as keys of `bits` bits, relative to the line of the first active lane, so that the
// keys of one sector or line still differ only in low bits. Inactive lanes get the key of that
// first lane.
struct Keys {
  alignas(32) int32_t all[2 * kLanes];  // the first 32 entries are padding before lane 0
  int32_t* of = all + kLanes;

  [[gnu::always_inline]] inline bool fill(const uint64_t* addresses, uint32_t mask, uint32_t shift,
                                          uint32_t alignment, uint32_t bits) {
    const uint64_t sample = addresses[std::countr_zero(mask)];
    const uint64_t origin = (sample & ~uint64_t{127}) - (uint64_t{1} << (bits - 1) << shift);
    Quads misaligned{}, above{};
    for (int lane = 0; lane < kLanes; lane += kQuadLanes) {
      Quads address;
      load(address, addresses + lane);
      const Quads active = reinterpret_cast<Quads>(((Quads{} + (mask >> lane)) & kQuadBits) != 0);
      address = ((address ^ sample) & active) ^ sample;
      const Quads key = (address - origin) >> shift;
      misaligned |= address;
      above |= key;
      const FourWords words = __builtin_convertvector(key, FourWords);
      std::memcpy(of + lane, &words, sizeof words);
    }
    for (int lane = 0; lane < kLanes; ++lane)
      all[lane] = kNoKey;
    const uint64_t any_low = misaligned[0] | misaligned[1] | misaligned[2] | misaligned[3];
    const uint64_t any_high = above[0] | above[1] | above[2] | above[3];
    return (any_low & (alignment - 1)) == 0 && any_high >> bits == 0;
  }

  // Computes nearest[] of the eight lanes from `first`; each has at most first + 7 earlier lanes.
  [[gnu::always_inline]] inline void nearest(int first, Words& least) const {
    Words own, other;
    load(own, of + first);
    load(other, of + first - 1);
    least = own ^ other;
#pragma GCC unroll 8
    for (int back = 2; back < first + kWordLanes; ++back) {
      load(other, of + first - back);
      other ^= own;
      least = other < least ? other : least;
    }
  }
};

[[gnu::always_inline]] inline bool distinct_counts_with(const uint64_t* addresses, uint32_t mask,
                                                        uint32_t log2_bytes, DistinctCounts& counts) {
  Keys keys;
  if (!keys.fill(addresses, mask, log2_bytes, 1u << log2_bytes, 30)) return false;
  Words elements{}, sectors{}, lines{};
  for (int first = 0; first < kLanes; first += kWordLanes) {
    Words nearest;
    keys.nearest(first, nearest);
    elements -= nearest != 0;  // true is -1
    sectors -= nearest >= 32 >> log2_bytes;
    lines -= nearest >= 128 >> log2_bytes;
  }
  int32_t sums[3] = {};
  for (int k = 0; k < kWordLanes; ++k) {
    sums[0] += elements[k];
    sums[1] += sectors[k];
    sums[2] += lines[k];
  }
  counts = {static_cast<uint32_t>(sums[0]), static_cast<uint32_t>(sums[1]), static_cast<uint32_t>(sums[2])};
  return true;
}

// Counts for each lane the earlier lanes of its group; groups[0..31] are padding.
[[gnu::always_inline]] inline void rank_in_group(const uint8_t* groups, Bytes& rank) {
  Bytes own, other;
  load(own, groups + kLanes);
  rank = Bytes{};
#pragma GCC unroll 31
  for (int back = 1; back < kLanes; ++back) {
    load(other, groups + kLanes - back);
    rank -= reinterpret_cast<Bytes>(own == other);  // true is -1
  }
}

// A lane's group is its phase and bank, 0 to 31. A lane that does not count is alone in group 0x80
// + lane.
[[gnu::always_inline]] inline void set_groups(const Keys& keys, int first, int32_t units, const Words& counts,
                                              uint8_t* groups) {
  const Words lane = kWordIndex + first;
  Words key;
  load(key, keys.of + first);
  const Words group = counts ? ((key & (units - 1)) | (lane & ~(units - 1))) : (lane | 0x80);
  const EightBytes bytes = __builtin_convertvector(group, EightBytes);
  std::memcpy(groups + kLanes + first, &bytes, sizeof bytes);
}

[[gnu::always_inline]] inline void find_active(int first, uint32_t mask, Words& active) {
  active = ((Words{} + static_cast<int32_t>(mask >> first & 0xff)) & kWordBits) != 0;
}

[[gnu::always_inline]] inline bool conflict_ranks_with(const uint64_t* addresses, uint32_t mask,
                                                       uint32_t log2_unit, uint32_t alignment,
                                                       uint8_t* rank) {
  constexpr uint32_t kUnitBits = 24;  // the phase is stored in the bits above
  Keys keys;
  if (!keys.fill(addresses, mask, log2_unit, alignment, kUnitBits)) return false;
  const int32_t units = 128 >> log2_unit;
  alignas(32) uint8_t groups[2 * kLanes];
  std::memset(groups, 0xff, kLanes);
  Words active, key, nearest;
  for (int first = 0; first < kLanes; first += kWordLanes) {
    find_active(first, mask, active);
    set_groups(keys, first, units, active, groups);
  }
  Bytes ranks;
  rank_in_group(groups, ranks);
  uint64_t any[4];
  std::memcpy(any, &ranks, sizeof any);
  if ((any[0] | any[1] | any[2] | any[3]) != 0) {
    // Some lanes share a bank: remove the lanes that access the same word as an earlier lane of
    // their phase, and count again.
    const int log2_units = std::countr_zero(static_cast<uint32_t>(units));
    for (int first = 0; first < kLanes; first += kWordLanes) {
      find_active(first, mask, active);
      load(key, keys.of + first);
      const Words phase = (kWordIndex + first) >> log2_units;
      key = active ? (key | phase << kUnitBits) : Words{} + kNoKey;
      std::memcpy(keys.of + first, &key, sizeof key);
    }
    for (int first = 0; first < kLanes; first += kWordLanes) {
      find_active(first, mask, active);
      keys.nearest(first, nearest);
      active &= nearest != 0;
      set_groups(keys, first, units, active, groups);
    }
    rank_in_group(groups, ranks);
  }
  std::memcpy(rank, &ranks, sizeof ranks);
  return true;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool distinct_counts_avx2(const uint64_t* addresses, uint32_t mask,
                                                  uint32_t log2_bytes, DistinctCounts& counts) {
  return distinct_counts_with(addresses, mask, log2_bytes, counts);
}
[[gnu::target("avx2")]] bool conflict_ranks_avx2(const uint64_t* addresses, uint32_t mask, uint32_t log2_unit,
                                                 uint32_t alignment, uint8_t* rank) {
  return conflict_ranks_with(addresses, mask, log2_unit, alignment, rank);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif

}  // namespace

bool distinct_counts(const uint64_t* addresses, uint32_t mask, uint32_t log2_bytes, DistinctCounts& counts) {
#if defined(__x86_64__)
  if (kHasAvx2) return distinct_counts_avx2(addresses, mask, log2_bytes, counts);
#endif
  return distinct_counts_with(addresses, mask, log2_bytes, counts);
}

bool conflict_ranks(const uint64_t* addresses, uint32_t mask, uint32_t log2_unit, uint32_t alignment,
                    uint8_t* rank) {
#if defined(__x86_64__)
  if (kHasAvx2) return conflict_ranks_avx2(addresses, mask, log2_unit, alignment, rank);
#endif
  return conflict_ranks_with(addresses, mask, log2_unit, alignment, rank);
}

}  // namespace ridge::warp_model::detail
