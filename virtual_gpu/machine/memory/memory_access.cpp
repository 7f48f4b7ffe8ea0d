// ld and st: addresses of a warp, the checks, the observers, the transfer.
#include <bit>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/memory/generic_space.h"
#include "virtual_gpu/machine/memory/shared_owner.h"

namespace ridge::machine {

void Core::find_addresses(const MemoryOp& op, uint32_t mask, Addresses& addresses) const {
  if (op.fixed_address) {
    const uint64_t address = static_cast<uint64_t>(op.offset);
    addresses.summary = {AccessShape::uniform, address, 0, address, address, address};
    return;
  }
  const auto summarize = op.wide_address ? loops_.summarize64 : loops_.summarize32;
  summarize(registers_ + op.address, op.offset, mask, addresses.summary, addresses.lanes);
}

// Global memory where this instruction was last time, or shared memory, aligned and inside: the next access
// may well be known then.
inline bool Core::transfer_at_once(const MemoryOp& op, AccessKind kind, const Addresses& addresses,
                                   uint32_t mask) {
  const AddressSummary& s = addresses.summary;
  const uint64_t end = s.highest + op.access_bytes;
  uint64_t origin = 0;
  MemorySpace space = op.space;
  if (space == MemorySpace::global || space == MemorySpace::generic || space == MemorySpace::constant) {
    const DeviceMemory::Range& cached = caches_[op.cache];
    if (s.lowest < cached.begin || end > cached.end) return false;
    if (space == MemorySpace::generic) space = MemorySpace::global;
  } else if (space == MemorySpace::shared) {
    if (s.lowest < shared_range(op).begin || end > shared_range(op).end) return false;
    origin = reinterpret_cast<uint64_t>(block_->shared.get());
  } else {
    return false;
  }
  if (end <= s.lowest || (s.bits & (op.access_bytes - 1)) != 0 || wants_values_) return false;
  if (observer_ != nullptr)
    observe(kind, space, addresses, mask, op.access_bytes, pc_, op.ordering, op.scope);
  op.transfer(op, addresses, origin, mask, registers_, loops_);
  return true;
}

void Core::access_anew(const MemoryOp& op, AccessKind kind, uint32_t mask) {
  Addresses addresses;
  find_addresses(op, mask, addresses);
  learn(op, kind, addresses, mask);
  if (!transfer_at_once(op, kind, addresses, mask)) transfer(op, kind, addresses, mask);
  if (observer_ != nullptr) {
    known_observed_[op.cache] = observed_;
    known_observed_[op.cache].repeats = true;
  }
  if (kind != AccessKind::load || undefined.lanes == 0) return;
  MemorySpace space = op.space;  // a generic address has been resolved by now
  if (space == MemorySpace::generic) {
    space = observed_.space == AccessSpace::shared  ? MemorySpace::shared
            : observed_.space == AccessSpace::local ? MemorySpace::local
                                                    : MemorySpace::global;
  }
  poison_loaded(op, addresses, space);
}

void Core::load_parameter(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  Addresses addresses;
  find_addresses(memory, mask, addresses);
  check(memory, AccessKind::load, MemorySpace::parameter, addresses, mask,
        memory.element_bytes * memory.count);
  move_values(memory, AccessKind::load, MemorySpace::parameter, addresses, mask);
}

void Core::load_slot(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  move_interleaved(memory, true, registers_ + memory.address, static_cast<uint64_t>(memory.offset), mask,
                   registers_);
}

void Core::store_slot(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = program_.memory[op.detail];
  move_interleaved(memory, false, registers_ + memory.address, static_cast<uint64_t>(memory.offset), mask,
                   registers_);
}

void Core::transfer(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask) {
  if (op.space == MemorySpace::generic) {
    transfer_generic(op, kind, addresses, mask);
    return;
  }
  if (op.space == MemorySpace::parameter) addresses.subtract(address_windows().parameter);
  if (op.space == MemorySpace::shared) addresses.strip_own_rank(block_->rank);
  transfer_in_space(op, kind, addresses, mask);
}

// The addresses are offsets in the space by now, except for global and constant memory.
void Core::transfer_in_space(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask) {
  const MemorySpace space = op.space;
  const uint32_t bytes = static_cast<uint32_t>(op.element_bytes) * op.count;
  if (space == MemorySpace::shared && addresses.names_a_rank() && !op.has_shared_array()) {
    for_each_owner(addresses, mask, kind,
                   [&](Addresses& part, uint32_t lanes) { transfer_in_space(op, kind, part, lanes); });
    return;
  }
  check(op, kind, space, addresses, mask, bytes);
  if (observer_ != nullptr) {
    observe(kind, space, addresses, mask, bytes, pc_, op.ordering, op.scope);
    if (wants_values_ && kind == AccessKind::store) observe_values(op, kind, space, addresses, mask);
  }
  move_values(op, kind, space, addresses, mask);
  if (wants_values_ && kind == AccessKind::load) observe_values(op, kind, space, addresses, mask);
}

void Core::transfer_generic(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask) {
  MemoryOp resolved = op;
  for_each_space(addresses, mask, [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    resolved.space = space;
    transfer_in_space(resolved, kind, part, lanes);
  });
}

std::byte* Core::host_address(MemorySpace space, uint64_t address) const {
  if (space == MemorySpace::shared) return owner_->shared.get() + address;
  if (space == MemorySpace::parameter)
    return const_cast<std::byte*>(launch_.config.parameters.data()) + address;
  return reinterpret_cast<std::byte*>(address);
}

void Core::move_values(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses,
                       uint32_t mask) {
  const bool is_load = kind == AccessKind::load;
  if (space == MemorySpace::local) {
    move_interleaved(op, is_load, warp_->local.data(), addresses, mask, registers_);
    return;
  }
  op.transfer(op, addresses, reinterpret_cast<uint64_t>(host_address(space, 0)), mask, registers_, loops_);
}

}  // namespace ridge::machine
