// The inline caches of memory instructions, and the selection of accesses for observers.
#pragma once

#include <array>
#include <vector>

#include "virtual_gpu/machine/memory/address_spaces.h"
#include "virtual_gpu/machine/vector/access_cache.h"

namespace ridge::machine {

struct NativeContext;  // see native/native_code.h

// An instruction whose lanes have the same pattern as the last time needs no new check and no
// classification of its addresses. Accesses that all observers have agreed to skip (ElidedAccess)
// are only counted.
class AccessCaches {
 public:
  AccessCaches(ExecutionContext& context, AddressSpaces& spaces);

  void clear_access_caches();
  void update_cache(const MemoryOp& op, AccessKind kind, const Addresses& addresses, uint32_t mask);
  void observe_cached(const AccessCache& cached, const MemoryOp& op, uint64_t first);
  static void fill_cached_addresses(const AccessCache& cached, const MemoryOp& op, uint64_t first,
                                    uint64_t* lanes);
  void observe(AccessKind kind, MemorySpace space, const Addresses& addresses, uint32_t mask,
               uint32_t bytes, uint32_t instruction, Ordering ordering = Ordering::weak,
               Scope scope = Scope::system, const uint64_t* lands_at = nullptr);
  bool elides(const AccessCache& cached, uint64_t first);
  template <class AddressRow>
  bool matches_cache(AccessCache& cached, AddressRow address, uint32_t mask, uint64_t& first);
  // At the beginning of a slice: clears everything when memory was allocated or freed since the
  // last one.
  void refresh();
  // A block begins or continues to run.
  void enter_block();
  // The warp reaches a leader: registers may have changed, so no pattern is valid.
  void forget_patterns() { current_patterns_.fill(0); }
  AccessCache& cache(uint32_t index) { return access_caches_[index]; }
  // The instruction's last access as observers saw it.
  Access& remembered(uint32_t index) { return cached_observations_[index]; }
  const Access& observed() const { return observed_; }
  void export_to(NativeContext& native);

 private:
  void share_pattern(AccessCache& cached);
  void observe_scattered(const AccessCache& cached, const MemoryOp& op, Access& access);

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  const CachedAccessLoops& cached_loops_;
  std::vector<AccessCache> access_caches_;  // by MemoryOp::cache
  std::vector<Access> cached_observations_;
  Access observed_;  // the last access that observers saw
  uint64_t last_pattern_ = 0;
  // By MemoryOp::pattern_slot: the pattern of the address register since the last leader.
  std::array<uint64_t, kPatternSlots> current_patterns_{};
  std::vector<ElidedAccess> never_elided_;  // by instruction, for an observer that elides nothing
  ElidedAccess* elided_ = nullptr;          // by instruction
  ReadLog no_log_;
  ReadLog* read_log_ = &no_log_;  // of the running block
  uint64_t generation_ = 0;
};

}  // namespace ridge::machine
