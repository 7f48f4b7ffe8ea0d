// Loads and stores of a warp.
#pragma once

#include "virtual_gpu/machine/memory/access_caches.h"

namespace ridge::machine {

class MemoryUnit {
 public:
  MemoryUnit(ExecutionContext& context, AddressSpaces& spaces, AccessCaches& caches)
      : context_(context), spaces_(spaces), caches_(caches) {}

  void load(const MicroOp& op, uint32_t mask);
  void store(const MicroOp& op, uint32_t mask);
  void load_parameter(const MicroOp& op, uint32_t mask);
  void load_slot(const MicroOp& op, uint32_t mask);
  void store_slot(const MicroOp& op, uint32_t mask);
  void transfer(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask);

 private:
  void transfer_cached(const AccessCache& cached, const MemoryOp& op, uint64_t first);
  void observe_values(const MemoryOp& op, AccessKind kind, MemorySpace space,
                      const Addresses& addresses, uint32_t mask);
  // Asks for the 128 bytes that a warp mostly stores to, while observers look at the store: the
  // stores behind it would wait for them.
  [[gnu::always_inline]] static void fetch_row_to_write(uint64_t first) {
    __builtin_prefetch(reinterpret_cast<const void*>(first), 1);
    __builtin_prefetch(reinterpret_cast<const void*>(first + 64), 1);
  }
  bool access_cached(const MicroOp& op, uint32_t mask);
  void set_pc(const MicroOp& op);
  bool transfer_at_once(const MemoryOp& op, AccessKind kind, const Addresses& addresses,
                        uint32_t mask);
  void prefetch(const MemoryOp& op, AccessKind kind, const Addresses& addresses,
                uint32_t mask) const;
  void access_uncached(const MemoryOp& op, AccessKind kind, uint32_t mask);
  void transfer_in_space(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask);
  void transfer_generic(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask);
  void move_values(const MemoryOp& op, AccessKind kind, MemorySpace space,
                   const Addresses& addresses, uint32_t mask);

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  AccessCaches& caches_;
};

}  // namespace ridge::machine
