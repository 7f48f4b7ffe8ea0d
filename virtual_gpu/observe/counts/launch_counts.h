// The totals of a launch's counts per instruction, which the counting observers of host threads fill.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/counts/sass/rare_operands.h"
#include "virtual_gpu/observe/counts/sass/unrolled_loops.h"

namespace ridge::observe {

// The counts of one instruction in one address space.
struct alignas(64) SpaceCounts {
  uint64_t requests = 0, lanes = 0, bytes = 0;
  uint64_t whole_warps = 0;                                 // requests of all 32 lanes
  uint64_t sectors = 0, ideal_sectors = 0, tags = 0;        // global, local
  uint64_t wavefronts = 0, ideal_wavefronts = 0;            // shared, constant
  uint64_t sass_wavefronts = 0, sass_ideal_wavefronts = 0;  // shared, for the GPU's instructions
  // Shared atomics that the GPU performs in a loop: iterations, and the cost of the loads.
  uint64_t attempts = 0, loop_load_wavefronts = 0;
  uint64_t failed_attempts = 0;  // in which other warps changed all the words
  void add(const SpaceCounts& other, uint64_t times = 1);
};

// The totals of one launch. Totals of host threads are added at the end, so results do not depend
// on their number.
struct LaunchCounts {
  static constexpr size_t kSpaces = 4;  // global, shared, local, constant
  static size_t place_of(size_t instruction, machine::AccessSpace space) {
    return instruction * kSpaces + static_cast<size_t>(space);
  }
  explicit LaunchCounts(size_t instructions = 0);
  void add(const LaunchCounts& other);

  std::vector<SpaceCounts> by_space;       // [instruction][space]
  std::vector<machine::AccessKind> kinds;  // [instruction][space]
  std::vector<int64_t>
      executions_change;  // [instruction + 1]: executions here less those of the instruction before
  std::vector<uint64_t> divergences;  // [instruction]: branches that lanes took both ways
  std::vector<RareCalls> rare_calls;  // [instruction]; empty: no instruction has a routine
  std::vector<UnrolledLoop> loops;    // that the SASS unrolls
  bool loops_are_mixed = false;       // iterations of different blocks could not be told apart
  uint64_t warp_instructions = 0, thread_instructions = 0, barriers = 0, divergent_branches = 0;
  uint64_t busiest_block_instructions = 0;  // trace::LaunchReport
  uint64_t copy_groups = 0, instructions_behind_copies = 0;  // trace::LaunchReport
  uint64_t wgmma_groups = 0, instructions_behind_wgmma = 0;  // trace::LaunchReport
  uint64_t wgmma_drains = 0;                                // trace::LaunchReport
};

}  // namespace ridge::observe
