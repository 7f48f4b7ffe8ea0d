// Resolves generic addresses: the memory of each lane.
#pragma once

#include <bit>

#include "virtual_gpu/machine/memory/address_spaces.h"

namespace ridge::machine {

// Calls visit(space, addresses, lanes) for each space of some lane's generic address, nearly always
// one. Shared, local and parameter addresses are passed as offsets; `addresses` is modified.
template <class F>
void AddressSpaces::for_each_space(Addresses& addresses, uint32_t mask, F&& visit) const {
  const AddressWindows& windows = address_windows();
  const AddressSummary& s = addresses.summary;
  if (s.highest < windows.begin || s.lowest >= windows.end) {
    visit(MemorySpace::global, addresses, mask);
    return;
  }
  struct Window {
    MemorySpace space;
    uint64_t begin, end;
  };
  const Window spaces[] = {
      {MemorySpace::shared, windows.shared, windows.shared + kSharedWindowBytes},
      {MemorySpace::local, windows.local, windows.local + kLocalWindowBytes},
      {MemorySpace::parameter, windows.parameter, windows.parameter + kParameterWindowBytes}};
  for (const Window& window : spaces) {
    if (s.lowest < window.begin || s.highest >= window.end) continue;
    addresses.subtract(window.begin);
    if (window.space == MemorySpace::shared) addresses.strip_own_rank(context_.block->rank);
    visit(window.space, addresses, mask);
    return;
  }
  const auto visit_part = [&](MemorySpace space, uint64_t begin, uint32_t lanes) {
    Addresses part;
    for (int lane = 0; lane < kLanes; ++lane)
      part.lanes[lane] = addresses.of(lane);
    context_.loops.summarize64(part.lanes, 0, lanes, part.summary, part.lanes);
    part.subtract(begin);
    if (space == MemorySpace::shared) part.strip_own_rank(context_.block->rank);
    visit(space, part, lanes);
  };
  uint32_t remaining = mask;
  for (const Window& window : spaces) {
    uint32_t inside = 0;
    for (uint32_t rest = remaining; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (addresses.of(lane) >= window.begin && addresses.of(lane) < window.end)
        inside |= 1u << lane;
    }
    if (inside == 0) continue;
    remaining &= ~inside;
    visit_part(window.space, window.begin, inside);
  }
  if (remaining != 0) visit_part(MemorySpace::global, 0, remaining);
}

}  // namespace ridge::machine
