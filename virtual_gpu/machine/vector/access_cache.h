// What an executor remembers of one memory instruction: how its 32 addresses lay the last time. They nearly
// always lie the same way again, moved as a whole. To see that takes one pass over the row, and then bounds,
// alignment, how the values are moved and what the access costs follow from the first lane's address alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/observer.h"

namespace ridge::machine {

struct AccessCache;

// Moves the values of all 32 lanes between memory and rows; `host` is where the first active lane's address
// is on the host.
using RowMove = void (*)(const AccessCache& cached, uint64_t host, std::byte* registers);
// Do the addresses in `row` lie as they did?
using RowMatch = bool (*)(const void* row, const AccessCache& cached);

struct alignas(64) AccessCache {
  // What every access looks at, in one cache line.
  uint32_t mask = 0;             // the lanes that were active; 0: nothing is known
  RowOffset first_cell = 0;      // where the first active lane's address is
  uint64_t pattern = 0;          // a number for how the lanes lie: equal numbers, equal patterns
  uint64_t offset = 0;           // added to each address
  uint64_t from = 0, span = 0;   // inside when the first lane's address is in [from, from + span]
  RowMove move = nullptr;        // nullptr: the general transfer
  uint32_t below_alignment = 0;  // an address has none of these bits
  RowOffset row = 0;             // of the (first) value
  uint8_t place = 0;             // MemoryOp::pattern_slot
  uint8_t misses = 0;            // in a row: an instruction that never repeats itself is not worth the try
  bool is_wide = true;           // the address register has 64 bits
  bool is_fixed = false;         // there is no address register: `offset` is the address
  bool is_shared = false;
  AccessShape shape = AccessShape::scattered;
  uint8_t first = 0;  // the first active lane: all distances are from its address
  uint8_t count = 0;  // elements of the vector

  ElidedAccess* elided = nullptr;  // the elision terms; nullptr without observers
  RowOffset values[8] = {};      // their rows
  uint32_t window = 0;           // load_window: which of the 32 words from the lowest one may be read
  uint64_t below = 0;            // from the first lane's address down to the lowest
  uint64_t to_lane_0 = 0;        // uniform, strided: from lane 0's address to the first active lane's
  int64_t stride = 0;            // of a strided shape
  // By lane, the distance from the first active one: in words as wide as the address register, and signed
  // (for load_window in words from the lowest).
  alignas(64) uint64_t distances[kLanes];
  alignas(64) int32_t near_distances[kLanes];
};

// The loops, for one instruction set.
struct CachedAccessLoops {
  RowMatch match64, match32;
  // One value per lane, at consecutive addresses.
  RowMove load_row32, load_row64, store_row32, store_row64;
  // Vectors of 2 and 4 words, side by side.
  RowMove load_split2, load_split4, store_join2, store_join4;
  // All lanes read the same.
  RowMove load_same32, load_same64;
  // Anywhere, no further apart than 2 GB; and all words within 32 neighbouring ones from the lowest.
  RowMove load_near32, load_window32;
};

const CachedAccessLoops& cached_access_loops();

}  // namespace ridge::machine
