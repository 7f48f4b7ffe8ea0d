// How often the SASS calls its routines for rare operands, and which of their instructions it issues then.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "virtual_gpu/observe/counts/sass/sass_executions.h"
#include "virtual_gpu/observe/counts/sass/sass_graph.h"

namespace ridge::observe {

// Sets the counts of the runs that call such a routine, and of the routine's own runs where the way through
// it is known. Returns, by the run that ends with the branch around a call, how often lanes took both ways.
std::unordered_map<size_t, int64_t> count_rare_calls(
    SassGraph& graph, std::span<const warp_model::SassInstruction> code, const PtxCounts& ptx);

}  // namespace ridge::observe
