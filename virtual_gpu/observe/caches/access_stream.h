// The accesses of a block's warps to global memory, in order, as lines and sectors, for a replay
// through the caches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/machine/observer.h"
#include "warp_model/cache.h"

namespace ridge::observe {

enum class StreamKind : uint8_t { load, load_past_l1, store, atomic, local_load, local_store, barrier };

// The address range of an instruction's accesses, over all blocks.
struct AddressRange {
  uint64_t begin = ~uint64_t{0}, end = 0;
  void add(uint64_t first, uint64_t bytes) {
    if (first < begin) begin = first;
    if (first + bytes > end) end = first + bytes;
  }
  void add(const AddressRange& other) {
    if (other.begin < begin) begin = other.begin;
    if (other.end > end) end = other.end;
  }
  bool contains(uint64_t address) const { return address >= begin && address < end; }
};

// A sequence of words: for each access its head, then its lines.
class AccessStream {
 public:
  struct Head {
    uint32_t instruction = 0;
    StreamKind kind = StreamKind::load;
    uint32_t lines = 0;
  };
  void add(const machine::Access& access, StreamKind kind);
  // cp.async: L1 requests the sectors of each wavefront of the write to shared memory separately.
  void add_copy(const machine::Access& access, StreamKind kind);
  // Local memory: word w of a warp's 32 threads is in a line of its own. `warp`: index in the grid.
  void add_local(const machine::Access& access, StreamKind kind, uint64_t warp);
  // The line of word `word` of a warp's threads.
  static uint64_t local_line(uint64_t warp, uint64_t word);
  void add_run(uint32_t instruction, StreamKind kind, uint64_t begin, uint64_t bytes);
  void add_barrier();
  // Keeps its memory.
  void clear() { words_.clear(); }
  size_t words() const { return words_.size(); }
  bool ends_at(size_t at) const { return at >= words_.size(); }
  Head head(size_t at) const;
  static uint64_t line_of(uint64_t word) { return word >> 4; }
  static warp_model::SectorMask sectors_of(uint64_t word) { return word & 0xf; }
  uint64_t word(size_t at) const { return words_[at]; }

 private:
  void add_bytes(uint64_t begin, uint64_t end);
  void add_lanes(const machine::Access& access, size_t first);
  void add_sectors(size_t first, uint64_t line, warp_model::SectorMask sectors);
  std::vector<uint64_t> words_;
};

// A block's streams, one per warp.
struct BlockStreams {
  uint64_t block = 0;
  std::vector<AccessStream> warps;
  uint64_t words = 0;  // approximate size
};

}  // namespace ridge::observe
