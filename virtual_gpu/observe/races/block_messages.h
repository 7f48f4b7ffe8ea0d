// Synchronisation of blocks through flags, counters and locks in global memory: a fence, followed
// by an atomic or volatile store to an address, publishes what the block did before the fence to
// every block that reads the address later.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ridge::observe {

class BlockMessages;

// Reads and writes of a block have epochs of their own, because different events end them.
enum class EpochKind : uint8_t { reads, writes };

// The vector clock of one block.
struct BlockVectorClock {
  uint64_t block = 0;
  // The epoch of the block's current writes: number of its device-wide fences + 1.
  uint32_t fences = 1;
  // The epoch of its current reads, which the block's next message ends. A value that was read is
  // in a register, so any later message follows the read, with or without a fence: in-place
  // algorithms rely on that (CUB's selection). An earlier message does not.
  uint32_t read_epoch() {
    has_read = true;
    return reads;
  }
  // Sets of accesses (access_sets.h) that all happened before.
  std::unordered_set<uint32_t> past_sets;
  uint32_t last_past_set = 0;  // looked up last: that of neighbouring words, mostly

 private:
  friend class BlockMessages;
  struct Place;
  using Seen = std::vector<std::pair<Place*, size_t>>;  // number of messages seen per place
  struct Epochs {
    uint32_t reads = 0, writes = 0;
  };
  // What the block has seen of a place, by itself or through messages of others.
  struct Reached {
    size_t count = 0;   // messages
    size_t merged = 0;  // those of them that are merged: their epochs and what they had seen
  };
  // An access that was not ordered when the clock last changed.
  struct Unordered {
    uint64_t block = ~0ull;
    uint32_t epoch = 0;
    EpochKind kind = EpochKind::reads;
  };
  uint32_t reads = 0;
  bool has_read = false;     // since the last message
  bool reached_all = false;  // its past is too large to be followed
  std::vector<Place*> just_read;
  std::unordered_map<Place*, size_t> seen_epochs;  // number of messages seen per place
  std::shared_ptr<const Seen> passed_on;           // the same, for messages; nullptr: not made yet
  std::unordered_map<Place*, Reached> reached;
  std::vector<Place*> open;  // where messages were reached that are not merged yet
  std::unordered_map<uint64_t, Epochs> merged_epochs;  // by block: everything below happened before
  std::array<Unordered, 8> unordered;                  // by the low bits of the block
};

class BlockMessages {
 public:
  BlockMessages();
  ~BlockMessages();
  // `key`: an address, or the number of a cluster for its barrier.
  void publish(BlockVectorClock& vector_clock, uint64_t key);
  void read(BlockVectorClock& vector_clock, uint64_t key);
  // Merges the clocks that read() found and ends that read. Call it at the block's next event after
  // the access that reads was executed.
  void settle(BlockVectorClock& vector_clock);
  bool has_pending_reads(const BlockVectorClock& vector_clock) const {
    return !vector_clock.just_read.empty();
  }
  // True when the reads or writes of `block` at `epoch` are known to precede what the clock's block
  // does now, and also when computing it would take too long.
  bool ordered(BlockVectorClock& vector_clock, uint64_t block, uint32_t epoch, EpochKind kind);

 private:
  void merge_read(BlockVectorClock& vector_clock);
  void merge_past(BlockVectorClock& vector_clock);
  std::mutex mutex_;
  uint64_t steps_left_;
  std::unordered_map<uint64_t, std::unique_ptr<BlockVectorClock::Place>> places_;
};

}  // namespace ridge::observe
