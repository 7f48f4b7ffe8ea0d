// What blocks tell each other through flags, counters and locks in global memory: a fence, then an atomic or
// volatile store at some address, publishes what the block did before the fence to every block that reads the
// address later.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ridge::observe {

class BlockMessages;

// One block's side.
struct BlockVoice {
  uint64_t block = 0;
  // Of the writes that the block makes now: one more than the device-wide fences it has executed.
  uint32_t fences = 1;
  // Of its reads now. A value that was read is in a register, so any later message tells of it, with or without
  // a fence: algorithms that work in place count on that (CUB's selection).
  uint32_t read_epoch() const { return fences - 1; }

 private:
  friend class BlockMessages;
  struct Place;
  std::vector<Place*> just_read;
  std::unordered_map<Place*, size_t> heard;             // how many of the place's messages
  std::unordered_map<uint64_t, uint32_t> known_epochs;  // by block: everything below is ordered before us
};

class BlockMessages {
 public:
  BlockMessages();
  ~BlockMessages();
  // `key`: an address, or the number of a cluster barrier's cluster.
  void publish(BlockVoice& voice, uint64_t key);
  void read(BlockVoice& voice, uint64_t key);
  // To be called at the block's next access after read(): by then it has seen what it has seen.
  void settle(BlockVoice& voice);
  bool has_unsettled(const BlockVoice& voice) const { return !voice.just_read.empty(); }
  // Whether what `block` did at `epoch` is known to come before what the voice's block does now. Answers yes
  // when finding out would take too long.
  bool ordered(BlockVoice& voice, uint64_t block, uint32_t epoch);

 private:
  bool search(const std::unordered_map<BlockVoice::Place*, size_t>& heard, uint64_t block, uint32_t epoch,
              int depth, size_t& steps) const;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<BlockVoice::Place>> places_;
};

}  // namespace ridge::observe
