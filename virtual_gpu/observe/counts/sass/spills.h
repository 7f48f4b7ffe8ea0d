// The spills of ptxas: local memory that PTX does not have, and the position of its accesses among
// those of the PTX.
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
  uint32_t word = 0, words = 1;  // in the thread's stack, in units of 4 bytes
  double rate = 0;               // executions per execution of the preceding access
};

// By the PTX line of a global access: the spills that follow it in the SASS, in order.
using SpillsBehind = std::unordered_map<uint32_t, std::vector<SpillAccess>>;

// True for a local access whose line does not access local memory in PTX.
bool is_spill(const warp_model::SassInstruction& instruction, const PtxCounts& ptx);

// `issued`: by instruction of `code`. A spill before the first global access is placed after it.
// Without global accesses spills have no reference position, and nothing would evict them from L1.
SpillsBehind place_spills(std::span<const warp_model::SassInstruction> code, const PtxCounts& ptx,
                          std::span<const uint64_t> issued);

}  // namespace ridge::observe
