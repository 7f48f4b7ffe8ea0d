// cp.async: one instruction with two accesses, a load from global memory and a store to shared
// memory.
#pragma once

#include <cstdint>

#include "warp_model/access.h"

namespace ridge::warp_model {

// Which lanes each wavefront of a store to shared memory serves.
struct Wavefronts {
  uint32_t count = 0;
  uint32_t lanes[kWarpLanes] = {};
};

// There are as many wavefronts as shared_cost() returns. Of the lanes of a phase that use different
// words of one bank, the lowest lane comes first. bytes_per_lane: 4, 8 or 16; addresses are
// multiples of it.
Wavefronts async_copy_wavefronts(const uint64_t* shared, uint32_t mask, uint32_t bytes_per_lane);

// The cost of the copy's load. L1 processes the copy in the wavefronts of its store to shared
// memory and requests the sectors of each wavefront separately. Lanes with bank conflicts therefore
// do not share a sector, even if their source addresses are adjacent. Nsight Compute on an H200
// (course/measured/nvidia-h200/counters.json, copy_async_rows): 32 lanes that copy 16 neighbouring
// bytes each count 16 sectors when they write 512 consecutive bytes, and 32 when they write rows
// 128 bytes apart. Tags are counted in the same way; bytes and ideal_sectors are those of the warp.
GlobalCost async_copy_cost(const uint64_t* global, const uint64_t* shared, uint32_t mask,
                           uint32_t bytes_per_lane);

}  // namespace ridge::warp_model
