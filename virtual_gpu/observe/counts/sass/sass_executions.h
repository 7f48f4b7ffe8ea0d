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

#include "virtual_gpu/observe/counts/sass/rare_operands.h"
#include "virtual_gpu/observe/counts/sass/unrolled_loops.h"
#include "warp_model/sass.h"

namespace ridge::observe {

// Counts of one PTX line.
struct PtxLineCounts {
  uint64_t executions = 0;
  uint64_t whole_warps = 0;  // atomics: executions by all 32 lanes
  // Branches: lanes went both ways; how often some fell through, where that is known, and the line branched
  // to.
  uint64_t divergences = 0;
  std::optional<uint64_t> fell_through;
  uint32_t target_line = 0;
  // The class of the single SASS instruction that performs it; `other` when there is no single one.
  warp_model::SassClass counterpart = warp_model::SassClass::other;
  // Atomics that the SASS performs in a loop: how often its body is executed, and of these, without a lane that
  // leaves it.
  uint64_t attempts = 0, failed_attempts = 0;
  // "@%p1 ...": its executions include those in which no lane took part.
  bool is_predicated = false;
  // Its SASS has a call that most operands jump over.
  RoundedForm rounded = RoundedForm::none;
  RareCalls rare;
  const UnrolledLoop* loop = nullptr;  // that it lies in
};
using PtxCounts = std::unordered_map<uint32_t, PtxLineCounts>;

// By instruction of `code`. Exact where the flow could be followed; a run that nothing tells about counts as
// often as most of its PTX lines.
std::vector<uint64_t> sass_executions(std::span<const warp_model::SassInstruction> code,
                                      const PtxCounts& ptx, uint64_t warps);

}  // namespace ridge::observe
