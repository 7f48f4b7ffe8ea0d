// How many iterations of an unrolled loop each lane of a warp makes, for the stages of its SASS.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/counts/sass/unrolled_loops.h"

namespace ridge::observe {

class IterationCounter {
 public:
  // No loops: it costs one comparison per run of instructions. At most 64 are followed.
  IterationCounter(std::vector<UnrolledLoop> loops, size_t instructions);
  void attach(machine::MachineView& machine) { machine_ = &machine; }
  void block_begin() { is_mixed_ |= !loops_.empty() && running_blocks_++ != 0; }
  void block_end();
  // The running warp executes a straight run that begins at `first`.
  void issued(uint32_t first, uint32_t mask) {
    if (!loop_at_.empty()) follow(first, mask);
  }
  const std::vector<UnrolledLoop>& loops() const { return loops_; }
  // Whether blocks alternated on this thread, so that their warps cannot be told apart here.
  bool is_mixed() const { return is_mixed_; }

 private:
  // A warp's lanes in one loop. A lane of `inside` has made `common` more iterations than
  // `iterations` says.
  struct Entry {
    uint32_t inside = 0, common = 0;
    std::array<uint32_t, 32> iterations{};
  };
  static constexpr size_t kMostLoops = 64;

  void follow(uint32_t first, uint32_t mask);
  void iterate(Entry& entry, uint32_t mask);
  void leave(uint32_t warp, size_t loop, uint32_t mask);
  Entry& entry_of(uint32_t warp, size_t loop) { return entries_[warp * loops_.size() + loop]; }

  std::vector<UnrolledLoop> loops_;
  std::vector<uint8_t>
      loop_at_;  // by instruction: 1 + the loop that it lies in; empty without loops
  machine::MachineView* machine_ = nullptr;
  std::vector<uint64_t> open_;  // by warp: a bit for each loop that it is in
  std::vector<Entry> entries_;  // [warp][loop]
  uint32_t running_blocks_ = 0;
  bool is_mixed_ = false;
};

}  // namespace ridge::observe
