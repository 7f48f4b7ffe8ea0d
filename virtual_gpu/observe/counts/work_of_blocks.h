// Counts the instructions of each running block of a host thread, also where blocks take turns.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "virtual_gpu/machine/observer.h"

namespace ridge::observe {

class WorkOfBlocks {
 public:
  void attach(machine::MachineView& machine) { machine_ = &machine; }
  // The running warp issues this many instructions.
  void issued(uint64_t instructions) {
    const uint64_t block = machine_->running_block_index();
    if (count_ == nullptr || block != block_) block_ = block, count_ = &instructions_[block];
    *count_ += instructions;
  }
  // The block has ended: the number of instructions that its warps have issued.
  uint64_t end_block(uint64_t block) {
    const auto ended = instructions_.find(block);
    if (ended == instructions_.end()) return 0;
    const uint64_t instructions = ended->second;
    instructions_.erase(ended);
    count_ = nullptr;
    return instructions;
  }

 private:
  machine::MachineView* machine_ = nullptr;
  std::unordered_map<uint64_t, uint64_t> instructions_;  // by running block; references stay valid
  uint64_t block_ = 0;
  uint64_t* count_ = nullptr;  // of block_
};

}  // namespace ridge::observe
