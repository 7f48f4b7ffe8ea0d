// Counts the instructions of each block of a host thread, also where several are in progress.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

// `total`: the instructions that the host thread has issued so far. While one block is in progress,
// they are its own, and nothing is counted per run of instructions.
class WorkOfBlocks {
 public:
  void attach(machine::MachineView& machine) { machine_ = &machine; }
  void begin_block(uint64_t block, uint64_t total) {
    if (in_progress_++ == 0) {
      only_ = block;
      began_at_ = total;
    } else if (!is_mixed_) {
      is_mixed_ = true;
      instructions_[only_] = total - began_at_;
    }
  }
  // The running warp issues this many instructions.
  void issued(uint64_t instructions) {
    if (is_mixed_) instructions_[machine_->running_block_index()] += instructions;
  }
  // The block has ended: the number of instructions that its warps have issued.
  uint64_t end_block(uint64_t block, uint64_t total) {
    const bool is_last = --in_progress_ == 0;
    if (!is_mixed_) return total - began_at_;
    const uint64_t instructions = instructions_[block];
    instructions_.erase(block);
    if (is_last) is_mixed_ = false;
    return instructions;
  }

 private:
  machine::MachineView* machine_ = nullptr;
  uint32_t in_progress_ = 0;
  uint64_t only_ = 0, began_at_ = 0;  // the first of those in progress; the total when it began
  bool is_mixed_ = false;             // several were in progress since none was
  std::unordered_map<uint64_t, uint64_t> instructions_;  // by block in progress, if mixed
};

}  // namespace ridge::observe
