// What ptxas spills: local memory that PTX does not know of, and where its accesses stand among those that
// PTX knows.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/observe/counts/sass/sass_executions.h"
#include "warp_model/sass.h"

namespace ridge::observe {

struct SpillAccess {
  bool is_load = false;
  uint32_t word = 0, words = 1;  // of the thread's stack, 4 bytes each
  double rate = 0;               // executions for each of the access that it follows
};

// By the PTX line of a global access: the spills that stand behind it in the SASS, in order.
using SpillsBehind = std::unordered_map<uint32_t, std::vector<SpillAccess>>;

// Local accesses whose line is not one of PTX's local memory.
bool is_spill(const warp_model::SassInstruction& instruction, const PtxCounts& ptx);

// `issued`: by instruction of `code`. A spill before the first global access is placed behind that. Without
// global accesses there is nothing to place them by, and nothing that would push them out of L1.
SpillsBehind place_spills(std::span<const warp_model::SassInstruction> code, const PtxCounts& ptx,
                          std::span<const uint64_t> issued);

}  // namespace ridge::observe
