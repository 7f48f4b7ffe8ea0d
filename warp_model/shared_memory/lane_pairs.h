// Decides which lanes of a shared load of 8 or 16 bytes per lane share a phase. Internal to
// warp_model.
//
// The rule: a half-warp agrees at distance d when lanes l and l ^ d of every pair use the same
// address or one of them is inactive. 8 bytes: the two halves of the warp become one phase when
// both agree at distance 1, or when both agree at distance 2. 16 bytes: the two quarters of each
// half that agrees become one phase, at distance 1 if any half agrees there, otherwise at distance
// 2. NVIDIA does not document this rule. It reproduces the wavefronts and conflicts of an H200's
// counters for all patterns tried (tests/warp_model/shared_test.cpp, shared_atomic_test.cpp).
#pragma once

#include <cstdint>

namespace ridge::warp_model::detail {

struct LoadPhases {
  bool is_plain = true;       // no phase is shared: the phases are those of a store
  uint32_t distance = 0;      // otherwise: the distance of the lanes of a pair, 1 or 2
  uint32_t count = 0;         // the number of phases
  uint32_t lanes[4] = {};     // active lanes per phase; 0: the phase costs nothing
};

LoadPhases load_phases(const uint64_t* addresses, uint32_t mask, uint32_t bytes_per_lane);

}  // namespace ridge::warp_model::detail
