// ld and st as they nearly always go: part of the interpreter's loop, and so in a header.
#pragma once

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

// Nobody has to hear of the access: it is noted, and that is all.
[[gnu::always_inline]] inline bool Core::is_quiet(const KnownAccess& known, uint64_t first) {
  QuietAccess& quiet = *known.quiet;
  if (!quiet.covers(first)) return false;
  if (quiet.pattern != QuietAccess::kNotLogged && !read_log_->add(quiet, first, warp_->index)) return false;
  quiet.note(first);
  return true;
}

// The lanes lie as they did the last time, and all are inside what was inside then; `address` says the row of
// addresses.
template <class AddressRow>
[[gnu::always_inline]] inline bool Core::is_as_known(KnownAccess& known, AddressRow address, uint32_t mask,
                                                     uint64_t& first) {
  if (known.mask != mask) return false;
  first = known.offset;
  if (!known.is_fixed) {
    if (known.pattern != seen_[known.place]) {
      const RowOffset row = address();
      const RowMatch matches = known.is_wide ? known_loops_.match64 : known_loops_.match32;
      if (!matches(registers_ + row, known)) return false;
      see_pattern(known);
    }
    const std::byte* const cell = registers_ + known.first_cell;
    if (known.is_wide)
      first += *reinterpret_cast<const uint64_t*>(cell);
    else
      first = static_cast<uint32_t>(first + *reinterpret_cast<const uint32_t*>(cell));
  }
  return first - known.from <= known.span && (first & known.below_alignment) == 0;
}

// Does nothing and says false for all others.
[[gnu::always_inline]] inline bool Core::access_as_known(const MicroOp& op, uint32_t mask) {
  KnownAccess& known = known_[op.target];
  uint64_t first;
  if (!is_as_known(
          known, [&] { return program_.memory[op.detail].address; }, mask, first))
    return false;
  if (observer_ != nullptr && !is_quiet(known, first))
    observe_known(known, program_.memory[op.detail], first);
  known.misses = 0;
  if (known.move == nullptr) {
    transfer_known(known, program_.memory[op.detail], first);
    return true;
  }
  const uint64_t origin = known.is_shared ? reinterpret_cast<uint64_t>(block_->shared.get()) : 0;
  known.move(known, origin + first, registers_);
  return true;
}

// The instruction's place, for whoever asks: only short cuts do without.
inline void Core::set_pc(const MicroOp& op) {
  pc_ = static_cast<uint32_t>(&op - program_.ops.data());
}

[[gnu::always_inline]] inline void Core::load(const MicroOp& op, uint32_t mask) {
  if (observer_ != nullptr) undefined.lanes = 0;
  if (!access_as_known(op, mask)) {
    set_pc(op);
    access_anew(program_.memory[op.detail], AccessKind::load, mask);
  } else if (observer_ != nullptr && undefined.lanes != 0) {
    poison_known(program_.memory[op.detail]);
  }
  if (op.flags & kPolls) {
    polled_ = true;
    std::atomic_thread_fence(std::memory_order_acquire);
  }
}

[[gnu::always_inline]] inline void Core::store(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  set_pc(op);
  undefined.lanes = 0;
  if (!warp_->poison.empty()) find_undefined_values(memory, mask);
  std::atomic_thread_fence(std::memory_order_release);
  made_progress_ |= memory.space != MemorySpace::local;
  if (!access_as_known(op, mask)) access_anew(memory, AccessKind::store, mask);
}

}  // namespace ridge::machine
