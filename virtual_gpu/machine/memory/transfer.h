// Moves the values of one access between host memory and register rows. The function is selected
// when the instruction is decoded.
#pragma once

#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/vector/address_loops.h"

namespace ridge::machine {

// The addresses of one warp's access.
struct Addresses {
  AddressSummary summary;
  alignas(64) uint64_t lanes[kLanes];  // valid when scattered

  uint64_t of(int lane) const {
    if (summary.shape == AccessShape::scattered) return lanes[lane];
    return summary.base + static_cast<uint64_t>(summary.stride) * static_cast<uint64_t>(lane);
  }
  void subtract(uint64_t by) {
    summary.base -= by;
    summary.lowest -= by;
    summary.highest -= by;
    if (summary.shape != AccessShape::scattered) return;
    for (uint64_t& address : lanes)
      address -= by;
  }
  // Removes the block's own rank: a shared::cluster address of the block itself contains its rank
  // plus one, a shared::cta address has none.
  void strip_own_rank(uint32_t rank) {
    const uint64_t own = uint64_t{rank} + 1;
    if (summary.lowest >> kSharedRankShift == own && summary.highest >> kSharedRankShift == own)
      subtract(own << kSharedRankShift);
  }
  // True when some lane addresses the shared memory of another block of the cluster: see
  // AddressSpaces::for_each_owner.
  bool names_a_rank() const { return summary.highest >> kSharedRankShift != 0; }
};

// A Transfer's `origin` is the host address of the space's begin; global addresses are host
// addresses, and their origin is 0.
Transfer load_transfer(const MemoryOp& op);
Transfer store_transfer(const MemoryOp& op);

// Local memory and .param variables, where each 32-bit word of a thread is a row: with one address
// for all lanes, or one per lane.
void move_interleaved(const MemoryOp& op, bool is_load, std::byte* base, uint64_t address,
                      uint32_t mask, std::byte* registers);
void move_interleaved(const MemoryOp& op, bool is_load, std::byte* base, const Addresses& addresses,
                      uint32_t mask, std::byte* registers);

}  // namespace ridge::machine
