// Where a warp waits for global memory: which SASS instructions wait for a load whose latency no
// earlier wait has covered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warp_model/sass.h"

namespace ridge::observe {

// By instruction of `code`: 1 where a warp that executes it waits for a round trip to memory, else
// 0. Loads that are issued one after the other and waited for later take one round trip together; a
// load that is issued after a wait takes another one. `issued`: executions; instructions without
// any are left out. Copies that need no register (cp.async, TMA) are none: no scoreboard holds them.
std::vector<uint8_t> round_trips(std::span<const warp_model::SassInstruction> code,
                                 std::span<const uint64_t> issued);

}  // namespace ridge::observe
