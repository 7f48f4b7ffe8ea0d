// The usual case of ld and st: part of the interpreter's loop, and therefore in a header.
#pragma once

#include "virtual_gpu/machine/memory/memory_unit.h"

namespace ridge::machine {

// Skips the observers when they have agreed to it; records the address only.
[[gnu::always_inline]] inline bool AccessCaches::elides(const AccessCache& cached, uint64_t first) {
  ElidedAccess& elided = *cached.elided;
  if (!elided.covers(first)) return false;
  if (elided.pattern != ElidedAccess::kNotLogged &&
      !read_log_->add(elided, first, context_.warp->index))
    return false;
  elided.note(first);
  return true;
}

// True when the lanes have the same pattern as the last time and are within the allocation of the
// last time; `address` has the row of addresses.
template <class AddressRow>
[[gnu::always_inline]] inline bool AccessCaches::matches_cache(AccessCache& cached,
                                                               AddressRow address, uint32_t mask,
                                                               uint64_t& first) {
  if (cached.mask != mask) return false;
  first = cached.offset;
  if (!cached.is_fixed) {
    if (cached.pattern != current_patterns_[cached.place]) {
      const RowOffset row = address();
      const RowMatch matches = cached.is_wide ? cached_loops_.match64 : cached_loops_.match32;
      if (!matches(context_.registers + row, cached)) return false;
      share_pattern(cached);
    }
    const std::byte* const cell = context_.registers + cached.first_cell;
    if (cached.is_wide)
      first += *reinterpret_cast<const uint64_t*>(cell);
    else
      first = static_cast<uint32_t>(first + *reinterpret_cast<const uint32_t*>(cell));
  }
  return first - cached.from <= cached.span && (first & cached.below_alignment) == 0;
}

// Returns false without an effect for all other accesses.
[[gnu::always_inline]] inline bool MemoryUnit::access_cached(const MicroOp& op, uint32_t mask) {
  AccessCache& cached = caches_.cache(op.target);
  uint64_t first;
  if (!caches_.matches_cache(
          cached, [&] { return context_.program.memory[op.detail].address; }, mask, first))
    return false;
  if (context_.observer != nullptr && !caches_.elides(cached, first)) {
    if (op.kind == OpKind::store && !cached.is_shared) fetch_row_to_write(first);
    caches_.observe_cached(cached, context_.program.memory[op.detail], first);
  }
  cached.misses = 0;
  if (cached.move == nullptr) {
    transfer_cached(cached, context_.program.memory[op.detail], first);
    return true;
  }
  const uint64_t origin =
      cached.is_shared ? reinterpret_cast<uint64_t>(context_.block->shared.get()) : 0;
  cached.move(cached, origin + first, context_.registers);
  return true;
}

// Sets the program counter for messages and observers. Fast paths do not set it.
inline void MemoryUnit::set_pc(const MicroOp& op) {
  context_.pc = static_cast<uint32_t>(&op - context_.program.ops.data());
}

[[gnu::always_inline]] inline void MemoryUnit::load(const MicroOp& op, uint32_t mask) {
  if (!access_cached(op, mask)) {
    set_pc(op);
    access_uncached(context_.program.memory[op.detail], AccessKind::load, mask);
  }
  if (op.flags & kPolls) {
    context_.polled = context_.has_looked = true;
    std::atomic_thread_fence(std::memory_order_acquire);
  }
}

[[gnu::always_inline]] inline void MemoryUnit::store(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = context_.program.memory[op.detail];
  set_pc(op);
  std::atomic_thread_fence(std::memory_order_release);
  context_.made_progress |= memory.space != MemorySpace::local;
  if (!access_cached(op, mask)) access_uncached(memory, AccessKind::store, mask);
}

}  // namespace ridge::machine
