// cp.async: one access that is two, a load from global memory and a store to shared memory.
#pragma once

#include <cstdint>

#include "warp_model/access.h"

namespace ridge::warp_model {

// Which lanes each wavefront of a store to shared memory serves.
struct Wavefronts {
  uint32_t count = 0;
  uint32_t lanes[kWarpLanes] = {};
};

// As many as shared_cost() says. Of the lanes of a phase that want different words of one bank, the lowest
// goes first. bytes_per_lane: 4, 8 or 16; addresses are multiples of it.
Wavefronts async_copy_wavefronts(const uint64_t* shared, uint32_t mask, uint32_t bytes_per_lane);

// What the load's side costs. L1 goes through the copy by the wavefronts that it takes to write shared
// memory, and asks for the sectors of each: lanes whose rows conflict there do not share a sector, however
// close their sources are. Nsight Compute on an H200 (course/measured/nvidia-h200/counters.json,
// copy_async_rows): 32 lanes that copy 16 neighbouring bytes each count 16 sectors when they write 512 bytes
// in a row, 32 when they write rows 128 bytes apart. Tags are counted in the same way; bytes and
// ideal_sectors are the warp's.
GlobalCost async_copy_cost(const uint64_t* global, const uint64_t* shared, uint32_t mask,
                           uint32_t bytes_per_lane);

}  // namespace ridge::warp_model
