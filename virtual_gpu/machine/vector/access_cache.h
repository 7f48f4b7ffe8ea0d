// The inline cache of one memory instruction: the pattern of its 32 addresses the last time. It
// nearly always repeats with another base address. One loop over the row verifies that; bounds,
// alignment, the transfer and the cost then follow from the first lane's address alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

struct AccessCache;

// Moves the values of all 32 lanes between memory and rows; `host` is the host address of the first
// active lane's data.
using RowMove = void (*)(const AccessCache& cached, uint64_t host, std::byte* registers);
// True when the addresses in `row` have the same pattern.
using RowMatch = bool (*)(const void* row, const AccessCache& cached);

struct alignas(64) AccessCache {
  // The members used by every access, in one cache line.
  uint32_t mask = 0;             // the lanes that were active; 0: the cache is empty
  RowOffset first_cell = 0;      // position of the first active lane's address
  uint64_t pattern = 0;          // identifies the lane pattern: equal numbers, equal patterns
  uint64_t offset = 0;           // added to each address
  // In bounds when the first lane's address is in [from, from + span].
  uint64_t from = 0, span = 0;
  RowMove move = nullptr;        // nullptr: the general transfer
  uint32_t below_alignment = 0;  // these bits must be 0 in an address
  RowOffset row = 0;             // of the (first) value
  uint8_t place = 0;             // MemoryOp::pattern_slot
  // Consecutive misses: an instruction that never repeats is not cached.
  uint8_t misses = 0;
  bool is_wide = true;           // the address register has 64 bits
  bool is_fixed = false;         // there is no address register: `offset` is the address
  bool is_shared = false;
  AccessShape shape = AccessShape::scattered;
  uint8_t first = 0;  // the first active lane: distances are relative to its address
  uint8_t count = 0;  // elements of the vector

  ElidedAccess* elided = nullptr;  // the elision terms; nullptr without observers
  RowOffset values[8] = {};      // rows of the vector's elements
  // load_window: which of the 32 words from the lowest one may be read.
  uint32_t window = 0;
  uint64_t below = 0;            // from the first lane's address down to the lowest
  uint64_t to_lane_0 = 0;        // uniform, strided: from lane 0's address to the first active lane's
  int64_t stride = 0;            // of a strided shape
  // By lane, the distance from the first active one, in the width of the address register, and
  // signed (for load_window in words from the lowest).
  alignas(64) uint64_t distances[kLanes];
  alignas(64) int32_t near_distances[kLanes];
};

// The loops, for one instruction set.
struct CachedAccessLoops {
  RowMatch match64, match32;
  // One value per lane, at consecutive addresses.
  RowMove load_row32, load_row64, store_row32, store_row64;
  // Adjacent vectors of 2 and 4 words.
  RowMove load_split2, load_split4, store_join2, store_join4;
  // All lanes read the same address.
  RowMove load_same32, load_same64;
  // Arbitrary addresses at most 2 GB apart; and all words within 32 consecutive ones from the
  // lowest.
  RowMove load_near32, load_window32;
};

const CachedAccessLoops& cached_access_loops();

}  // namespace ridge::machine
