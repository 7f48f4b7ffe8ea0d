// Groups shared addresses by the owning block.
#pragma once

#include <bit>

#include "virtual_gpu/machine/memory/address_spaces.h"

namespace ridge::machine {

// Calls visit(addresses, lanes) for each block whose shared memory some lane addresses, with
// addresses converted to offsets and owner_ set to that block.
template <class F>
void AddressSpaces::for_each_owner(Addresses& addresses, uint32_t mask, AccessKind kind,
                                   F&& visit) {
  if (!addresses.names_a_rank()) {
    visit(addresses, mask);
    return;
  }
  while (mask != 0) {
    const int leader = std::countr_zero(mask);
    Block& owner = owner_of(addresses.of(leader), kind, leader);
    uint32_t lanes = 0;
    Addresses part;
    for (int lane = 0; lane < kLanes; ++lane) {
      part.lanes[lane] = addresses.of(lane) & kSharedOffsetMask;
      if ((mask >> lane & 1) && &owner_of(addresses.of(lane), kind, lane) == &owner)
        lanes |= 1u << lane;
    }
    context_.loops.summarize64(part.lanes, 0, lanes, part.summary, part.lanes);
    context_.owner = &owner;
    visit(part, lanes);
    context_.owner = context_.block;
    mask &= ~lanes;
  }
}

}  // namespace ridge::machine
