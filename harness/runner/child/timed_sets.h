// The buffers of timed calls. The initial contents of each set are kept. Before every pass all sets
// get new positions in one large allocation (one per device), in a shuffled order, so that no call can predict an
// address or an input from the previous pass, and so that times average over many positions: the
// placement of pages in DRAM changes a strided kernel's time by over 2%.
#pragma once

#include <map>
#include <random>

#include "harness/runner/child/baseline.h"
#include "harness/runner/child/device_memory.h"
#include "harness/runner/child/timer.h"

namespace ridge::runner {

class TimedSets {
 public:
  // Every slot contains the buffers and their guards, and is at least slot_bytes large.
  TimedSets(std::vector<std::vector<BufferPlan>> plans, const SharedMemory& memory, int64_t slot_bytes);
  // Slot i gets a new position, for set order[i].
  void move(const std::vector<size_t>& order);
  // Enqueues copies of the initial contents to the slots, on the stream.
  void fill(cudaStream_t stream) const;
  // The calls on these slots, until watch() is called again, get their inputs late (if `late`), with
  // the fill pattern of guards in their places before, and keep() keeps their outputs.
  void watch(const std::vector<size_t>& slots, bool late);
  bool is_watched(size_t slot) const { return kept_.contains(slot); }
  std::vector<LateInput> late_inputs(size_t slot) const;
  // Enqueues a copy of each output of a watched slot in the stream of its device. copy_back then
  // returns these copies: what work that follows in that stream sees of the output.
  void keep(size_t slot, const std::vector<cudaStream_t>& streams) const;
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
  std::vector<size_t> order_;
  std::map<size_t, std::vector<DeviceMemory>> kept_;  // by watched slot, of written buffers
  bool late_ = false;
  int64_t slot_bytes_ = 0, arena_bytes_ = 0;
  std::vector<DeviceMemory> arenas_;  // by device; a slot has the same offset in each
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace ridge::runner
