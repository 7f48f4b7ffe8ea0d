// Computes how often a GPU would have issued each SASS instruction, from the executed PTX.
//
// The virtual GPU executes PTX. ptxas merges, moves, removes and duplicates instructions, but the
// line table still has the PTX line of each, and the control flow determines the rest: all
// instructions of a basic block (run) are issued equally often, and what enters a run leaves it.
// Runs are counted first where a PTX instruction has one clear counterpart (a store, a barrier, a
// multiply-add), and then along the branches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "warp_model/sass.h"

namespace ridge::observe {

// Counts of one PTX line.
struct PtxLineCounts {
  uint64_t executions = 0;
  // Branches: executions in which lanes diverged; executions in which some fell through, if known;
  // and the target line.
  uint64_t divergences = 0;
  std::optional<uint64_t> fell_through;
  uint32_t target_line = 0;
  // The class of the single SASS instruction that performs it; `other` when there is no single one.
  warp_model::SassClass counterpart = warp_model::SassClass::other;
  uint64_t attempts = 0;  // atomics that the SASS performs in a loop: iterations
  bool is_predicated = false;  // "@%p1 ...": executions include those without an active lane
  // Its SASS has a call that is skipped for most operands (sass_counterparts.h).
  bool calls_for_rare_operands = false;
};
using PtxCounts = std::unordered_map<uint32_t, PtxLineCounts>;

// By instruction of `code`. Exact where the control flow determines it; a run without evidence
// counts as often as most of its PTX lines.
std::vector<uint64_t> sass_executions(std::span<const warp_model::SassInstruction> code, const PtxCounts& ptx,
                                      uint64_t warps);

}  // namespace ridge::observe
