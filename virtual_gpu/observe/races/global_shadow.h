// The writers and readers of each word of the arrays that a launch may write, by block: the race
// check for global memory.
//
// Each word has the write of the lowest block that wrote it and the reads of the two lowest blocks
// that read it. The lowest pair of racing blocks is always among them, whatever the order in which
// host threads run the blocks. The reported race is that of the lowest blocks, so it does not
// depend on the order. Where blocks can synchronise through memory, a word also has the set of its
// further reads and atomics that nothing has ordered before a later access: a write may be ordered
// after the two lowest readers and not after a third.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/races/access_sets.h"
#include "virtual_gpu/observe/races/block_messages.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {

// serial of the block 32 | synchronizations 4 | byte mask 4 | strong 1 | site 11 | thread 10 | shift 2
//
// shift: in the cell of a line, each thread has 1 << shift words. In the cell of a word's writer
// its lowest bit says that the write did not change the value: a concurrent reader gets the same
// value in either order. In the cell of a reader it says that the block has updated the word with an
// atomic after the read.
struct BlockCell {
  uint64_t bits = 0;
  static constexpr uint32_t kManySynchronizations = 15;  // counts from here on are not compared
  static BlockCell make(uint32_t serial, uint32_t synchronizations, uint32_t bytes, bool strong,
                        uint32_t site, uint32_t thread) {
    return {uint64_t{serial} << 32 |
            uint64_t{std::min(synchronizations, kManySynchronizations)} << 28 |
            uint64_t{bytes} << 24 | uint64_t{strong} << 23 | uint64_t{site} << 12 | thread << 2};
  }
  uint32_t serial() const { return static_cast<uint32_t>(bits >> 32); }
  uint32_t synchronizations() const { return bits >> 28 & 15; }
  uint32_t bytes() const { return bits >> 24 & 15; }
  bool strong() const { return bits >> 23 & 1; }
  uint32_t site() const { return bits >> 12 & Cell::kUnknownSite; }
  uint32_t thread() const { return bits >> 2 & 1023; }
  bool preserved_value() const { return bits & 1; }
  bool updated_later() const { return bits & 1; }
};

// Two blocks, or two threads of one, with unordered accesses. `high` is the block with the higher
// index.
struct GlobalRace {
  uint64_t high_block = 0, low_block = 0, address = 0;
  BlockCell high, low;
  bool high_writes = false, low_writes = false;
  bool before(const GlobalRace& other) const {
    if (high_block != other.high_block) return high_block < other.high_block;
    if (low_block != other.low_block) return low_block < other.low_block;
    return address < other.address;
  }
};

class GlobalShadow {
 public:
  explicit GlobalShadow(const CheckedLaunch& launch);
  ~GlobalShadow();

  // The accessing block, for the shadow.
  struct Visitor {
    uint64_t block = 0;
    uint32_t synchronizations = 0;
    bool compares_threads = true;  // false: its threads synchronise in ways that are not tracked
    BlockVectorClock* vector_clock = nullptr;
  };
  bool has_regions() const { return !regions_.empty(); }
  // True when [lowest, end) contains a watched byte; sets `skip` to a range around it without one.
  bool has_region(uint64_t lowest, uint64_t end, machine::DeviceMemory::Range& skip) const;
  // Stores races between blocks in `found` (the lowest so far); returns a race inside the block.
  std::optional<GlobalRace> access(const machine::Access& access, uint32_t site,
                                   const Visitor& visitor, const StoredValues& values,
                                   std::optional<GlobalRace>& found);
  // The lowest race of a plain read with another block's atomic. Such a read is no mistake if its
  // block then updates the word itself, so it is known when all blocks have ended.
  std::optional<GlobalRace> read_beside_atomics() const;
  BlockMessages messages;

 private:
  struct Region;
  struct Step;
  Region* region_at(uint64_t address) const;
  std::optional<GlobalRace> write_word(Region& region, uint64_t word, const Step& step,
                                       std::optional<GlobalRace>& found);
  std::optional<GlobalRace> read_word(Region& region, uint64_t word, const Step& step,
                                      std::optional<GlobalRace>& found);
  static bool changes_nothing(const Region& region, uint64_t word, const Step& step);
  bool is_value_preserving(const Region& region, uint64_t word, const Step& step) const;
  // An access by another block: its cell and epoch.
  struct Other {
    BlockCell cell;
    uint32_t epoch = 0;
    bool writes = false;
  };
  bool happens_before(const Other& other, const Step& step);
  bool adds_numbers(uint32_t site) const;
  static bool is_beside_atomic(const Other& other, const Step& step);
  bool conflicts(const Region& region, uint64_t word, const Other& other, const Step& step);
  void note(const Region& region, uint64_t word, const Other& other, const Step& step,
            std::optional<GlobalRace>& found);
  void note_beside_atomic(const GlobalRace& race);
  void updates(Region& region, uint64_t word, const Step& step);
  void remember(Region& region, uint64_t word, const Other& other, const Step& step);
  void look_at_others(Region& region, uint64_t word, const Step& step,
                      std::optional<GlobalRace>& found);
  bool all_happen_before(uint32_t set, const Step& step);
  std::optional<GlobalRace> within_block(const Region& region, uint64_t word, BlockCell other,
                                         bool other_writes, const Step& step);
  bool write_lines(Region& region, uint64_t first_word, uint64_t words, uint64_t mine,
                   uint32_t shift);
  void open_line(Region& region, uint64_t line);
  bool write_run(Region& region, uint64_t first_word, uint64_t words, const Step& step);
  void set_writers(Region& region, uint64_t first_word, uint64_t words, uint32_t shift,
                   Step step) const;
  void watch(uint64_t address);

  const CheckedLaunch& launch_;
  uint32_t base_ = 0;                             // serial of block 0
  mutable std::atomic<int> yields_left_;          // while a store of another launch is in progress
  std::vector<std::unique_ptr<Region>> regions_;  // by address
  AccessSets sets_;
  std::mutex beside_atomics_mutex_;
  std::atomic<bool> has_beside_atomics_{false};
  std::map<uint64_t, std::vector<GlobalRace>> beside_atomics_;  // by address
  size_t beside_atomics_left_ = 4096;
};

}  // namespace ridge::observe
