// Synchronisation of blocks through flags, counters and locks in global memory: a fence, followed
// by an atomic or volatile store to an address, publishes what the block did before the fence to
// every block that reads the address later.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ridge::observe {

class BlockMessages;

// The vector clock of one block.
struct BlockVectorClock {
  uint64_t block = 0;
  // The epoch of the block's current writes: number of its device-wide fences + 1.
  uint32_t fences = 1;
  // The epoch of its current reads. A value that was read is in a register, so any later message
  // follows the read, with or without a fence: in-place algorithms rely on that (CUB's selection).
  uint32_t read_epoch() const { return fences - 1; }

 private:
  friend class BlockMessages;
  struct Place;
  std::vector<Place*> just_read;
  std::unordered_map<Place*, size_t> seen_epochs;             // number of messages seen per place
  // By block: everything below happened before.
  std::unordered_map<uint64_t, uint32_t> merged_epochs;
};

class BlockMessages {
 public:
  BlockMessages();
  ~BlockMessages();
  // `key`: an address, or the number of a cluster for its barrier.
  void publish(BlockVectorClock& vector_clock, uint64_t key);
  void read(BlockVectorClock& vector_clock, uint64_t key);
  // Merges the clocks that read() found. Call it at the block's next access after read().
  void settle(BlockVectorClock& vector_clock);
  bool has_pending_reads(const BlockVectorClock& vector_clock) const { return !vector_clock.just_read.empty(); }
  // True when what `block` did at `epoch` is known to precede what the clock's block does now, and
  // also when computing it would take too long.
  bool ordered(BlockVectorClock& vector_clock, uint64_t block, uint32_t epoch);

 private:
  bool search(const std::unordered_map<BlockVectorClock::Place*, size_t>& seen_epochs, uint64_t block, uint32_t epoch,
              int depth, size_t& steps) const;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<BlockVectorClock::Place>> places_;
};

}  // namespace ridge::observe
