// The buffers of timed calls. Each set's first contents are kept; before every pass all sets get new places
// in one large allocation, in a shuffled order, so that no call sees an address or an input that it can know
// from the pass before, and so that a time is that of many places in memory: where pages lie in DRAM changes
// a strided kernel's time by over 2%.
#pragma once

#include <random>

#include "harness/runner/child/baseline.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

class TimedSets {
 public:
  // Every slot holds the buffers and their guards, and at least slot_bytes.
  TimedSets(std::vector<std::vector<BufferPlan>> plans, const SharedMemory& memory, int64_t slot_bytes);
  // Slot i gets a new place with the first contents of set order[i]. Queued on the stream.
  void place(const std::vector<size_t>& order, cudaStream_t stream);
  // Other first contents, of the same sizes, for some sets.
  void renew(const std::vector<size_t>& sets, const SharedMemory& memory);
  size_t count() const { return plans_.size(); }
  const Slot& slot(size_t index) const { return slots_.at(index); }
  // Of that slot's buffers, as the call left them, the guards and `windows` (one per buffer), each to its place
  // in the shared memory.
  void copy_back(size_t slot, const std::vector<Window>& windows, const SharedMemory& memory) const;

 private:
  std::vector<std::vector<BufferPlan>> plans_;
  std::vector<std::vector<DeviceMemory>> contents_;  // as they were handed over; outputs: the fill pattern
  std::vector<Slot> slots_;
  int64_t slot_bytes_ = 0, arena_bytes_ = 0;
  DeviceMemory arena_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace ridge::runner
