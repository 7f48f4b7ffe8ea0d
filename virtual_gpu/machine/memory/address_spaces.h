// The address spaces of a warp's accesses: resolving, checking and translating addresses.
#pragma once

#include "virtual_gpu/machine/execution_context.h"
#include "virtual_gpu/machine/memory/transfer.h"

namespace ridge::machine {

struct BadAccess;  // see fault_text.h

class AddressSpaces {
 public:
  explicit AddressSpaces(ExecutionContext& context)
      : context_(context), allocation_caches_(context.program.cache_count) {}

  DeviceMemory::Range reachable_range(uint64_t address) const;
  void check(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses,
             uint32_t mask, uint32_t bytes);
  template <class F>
  void for_each_space(Addresses& addresses, uint32_t mask, F&& visit) const;
  void find_addresses(const MemoryOp& op, uint32_t mask, Addresses& addresses) const;
  std::byte* host_address(MemorySpace space, uint64_t address) const;
  Block& owner_of(uint64_t shared_address, AccessKind kind, int lane) const;
  template <class F>
  void for_each_owner(Addresses& addresses, uint32_t mask, AccessKind kind, F&& visit);
  // The allocation that a memory instruction accessed last, by MemoryOp::cache; empty when unknown.
  const DeviceMemory::Range& allocation(uint32_t cache) const { return allocation_caches_[cache]; }
  void forget_allocations() {
    std::fill(allocation_caches_.begin(), allocation_caches_.end(), DeviceMemory::Range{});
  }
  // The permitted range of a shared access: its array if that is certain, otherwise all of the
  // block's shared memory.
  DeviceMemory::Range shared_range(const MemoryOp& op) const {
    if (!context_.launch.config.bounds_checks) return {0, context_.launch.shared_bytes};
    return {op.shared_begin, std::min(op.shared_end, context_.launch.shared_bytes)};
  }

 private:
  uint32_t peer_rank(MemorySpace space) const;
  bool is_unreachable(uint64_t address) const;
  bool inside_global(const MemoryOp& op, uint64_t lowest, uint64_t end);
  void name_shared_array(const MemoryOp& op, BadAccess& bad) const;
  void check_lanes(const MemoryOp& op, AccessKind kind, MemorySpace space,
                   const Addresses& addresses, uint32_t mask, uint32_t bytes);

  ExecutionContext& context_;
  std::vector<DeviceMemory::Range> allocation_caches_;
};

}  // namespace ridge::machine
