// Atomics, reductions, and stores to the shared memory of other blocks of a cluster.
#pragma once

#include "virtual_gpu/machine/barriers/mbarriers.h"
#include "virtual_gpu/machine/memory/access_caches.h"

namespace ridge::machine {

class AtomicUnit {
 public:
  AtomicUnit(ExecutionContext& context, AddressSpaces& spaces, AccessCaches& caches,
             Mbarriers& mbarriers)
      : context_(context), spaces_(spaces), caches_(caches), mbarriers_(mbarriers) {}

  void atomic(const MicroOp& op, uint32_t mask);
  void rank_of_address(const MicroOp& op, uint32_t mask) const;
  void store_async(const MicroOp& op, uint32_t mask);
  void land_stores(Block& owner, uint32_t mbarrier);

 private:
  void atomic_in_space(const AtomicOp& op, MemorySpace space, Addresses& addresses, uint32_t mask);
  template <class Word>
  void update_lanes(const AtomicOp& op, MemorySpace space, const Addresses& addresses,
                    uint32_t mask);
  void reduce_at(const AtomicOp& op, std::byte* at, const std::byte* value) const;
  void update_wide(const AtomicOp& op, MemorySpace space, const Addresses& addresses,
                   uint32_t mask);

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  AccessCaches& caches_;
  Mbarriers& mbarriers_;
};

}  // namespace ridge::machine
