// Counts how much work a warp does while its asynchronous groups are in flight: the instructions
// that it issues between committing a group of cp.async or of wgmma and continuing after the wait
// for it. Empty groups do not count. A kernel that waits immediately has a handful; one that
// computes meanwhile has hundreds.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/counts/launch_counts.h"

namespace ridge::observe {

// Whether a program has cp.async or wgmma instructions.
bool has_async_groups(const std::vector<machine::InstructionSource>& sources);

class WorkBehindGroups {
 public:
  // With `active` false it costs one comparison per run of instructions.
  explicit WorkBehindGroups(bool active) : active_(active) {}
  void attach(machine::MachineView& machine) { machine_ = &machine; }
  void issued(uint64_t instructions) {
    if (!active_) return;
    const uint32_t warp = machine_->running_warp();
    if (warp >= issued_.size()) issued_.resize(warp + 1);
    issued_[warp] += instructions;
  }
  void step(const machine::AsyncStep& step, LaunchCounts& counts);
  void block_end(uint64_t block);

 private:
  // The groups in flight of one kind and warp: number of issued instructions at the commit.
  using InFlight = std::unordered_map<uint64_t, uint64_t>;
  struct Warp {
    InFlight copies, wgmma;
  };
  bool active_;
  machine::MachineView* machine_ = nullptr;
  // By warp of a block; blocks of a cluster share an entry, which only makes the result larger.
  std::vector<uint64_t> issued_;
  std::unordered_map<uint64_t, Warp> warps_;  // by block and warp
};

}  // namespace ridge::observe
