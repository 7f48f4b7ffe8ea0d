// The buffers of timed calls. The initial contents of each set are kept. Before every pass all sets
// get new positions in one large allocation (one per device), in a shuffled order, so that no call can predict an
// address or an input from the previous pass, and so that times average over many positions: the
// placement of pages in DRAM changes a strided kernel's time by over 2%.
#pragma once

#include <random>

#include "harness/runner/child/baseline.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

class TimedSets {
 public:
  // Every slot contains the buffers and their guards, and is at least slot_bytes large.
  TimedSets(std::vector<std::vector<BufferPlan>> plans, const SharedMemory& memory, int64_t slot_bytes);
  // Slot i gets a new position with the initial contents of set order[i]. Enqueued on the stream.
  void place(const std::vector<size_t>& order, cudaStream_t stream);
  // Replaces the initial contents of some sets by others of the same sizes.
  void renew(const std::vector<size_t>& sets, const SharedMemory& memory);
  size_t count() const { return plans_.size(); }
  const Slot& slot(size_t index) const { return slots_.at(index); }
  // Copies that slot's guards and the `windows` of its buffers (one per buffer) after the call to
  // their places in the shared memory.
  void copy_back(size_t slot, const std::vector<Window>& windows, const SharedMemory& memory) const;

 private:
  std::vector<std::vector<BufferPlan>> plans_;
  // The initial contents; outputs: the fill pattern.
  std::vector<std::vector<DeviceMemory>> contents_;
  std::vector<Slot> slots_;
  int64_t slot_bytes_ = 0, arena_bytes_ = 0;
  std::vector<DeviceMemory> arenas_;  // by device; a slot has the same offset in each
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace ridge::runner
