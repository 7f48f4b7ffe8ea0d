// ld and st: addresses of a warp, the checks, the observers, the transfer.
#include <bit>

#include "virtual_gpu/machine/memory/generic_space.h"
#include "virtual_gpu/machine/memory/memory_unit.h"
#include "virtual_gpu/machine/memory/shared_owner.h"

namespace ridge::machine {
namespace {

// Lanes this close together share cache lines, or miss only a few times.
constexpr uint64_t kNearBytes = 4096;

}  // namespace

void AddressSpaces::find_addresses(const MemoryOp& op, uint32_t mask, Addresses& addresses) const {
  if (op.fixed_address) {
    const uint64_t address = static_cast<uint64_t>(op.offset);
    addresses.summary = {AccessShape::uniform, address, 0, address, address, address};
    return;
  }
  const auto summarize = op.wide_address ? context_.loops.summarize64 : context_.loops.summarize32;
  summarize(context_.registers + op.address, op.offset, mask, addresses.summary, addresses.lanes);
}

// Fast path for global memory in the same allocation as the last time, or shared memory, aligned
// and within bounds: the next access is probably cached then.
inline bool MemoryUnit::transfer_at_once(const MemoryOp& op, AccessKind kind,
                                         const Addresses& addresses, uint32_t mask) {
  const AddressSummary& s = addresses.summary;
  const uint64_t end = s.highest + op.access_bytes;
  uint64_t origin = 0;
  MemorySpace space = op.space;
  if (space == MemorySpace::global || space == MemorySpace::generic ||
      space == MemorySpace::constant) {
    const DeviceMemory::Range& cached = spaces_.allocation(op.cache);
    if (s.lowest < cached.begin || end > cached.end) return false;
    if (space == MemorySpace::generic) space = MemorySpace::global;
  } else if (space == MemorySpace::shared) {
    if (s.lowest < spaces_.shared_range(op).begin || end > spaces_.shared_range(op).end)
      return false;
    origin = reinterpret_cast<uint64_t>(context_.block->shared.get());
  } else {
    return false;
  }
  if (end <= s.lowest || (s.bits & (op.access_bytes - 1)) != 0 || context_.wants_values)
    return false;
  if (context_.observer != nullptr)
    caches_.observe(kind, space, addresses, mask, op.access_bytes, context_.pc, op.ordering,
                    op.scope);
  op.transfer(op, addresses, origin, mask, context_.registers, context_.loops);
  return true;
}

// Starts to bring the data of scattered lanes into the host's caches, so that the misses of all
// lanes are served while the access is checked and counted. Shared memory is in the caches anyway.
void MemoryUnit::prefetch(const MemoryOp& op, AccessKind kind, const Addresses& addresses,
                          uint32_t mask) const {
  const AddressSummary& s = addresses.summary;
  if (s.shape != AccessShape::scattered || s.highest - s.lowest < kNearBytes) return;
  if (op.space != MemorySpace::global && op.space != MemorySpace::generic) return;
  (kind == AccessKind::load ? context_.loops.fetch_to_read : context_.loops.fetch_to_write)(
      addresses.lanes, mask);
}

void MemoryUnit::access_uncached(const MemoryOp& op, AccessKind kind, uint32_t mask) {
  Addresses addresses;
  spaces_.find_addresses(op, mask, addresses);
  if (context_.observer != nullptr) prefetch(op, kind, addresses, mask);
  caches_.update_cache(op, kind, addresses, mask);
  if (!transfer_at_once(op, kind, addresses, mask)) transfer(op, kind, addresses, mask);
  if (context_.observer != nullptr) {
    caches_.remembered(op.cache) = caches_.observed();
    caches_.remembered(op.cache).repeats = true;
  }
}

void MemoryUnit::load_parameter(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = context_.program.memory[op.detail];
  Addresses addresses;
  spaces_.find_addresses(memory, mask, addresses);
  spaces_.check(memory, AccessKind::load, MemorySpace::parameter, addresses, mask,
                memory.element_bytes * memory.count);
  move_values(memory, AccessKind::load, MemorySpace::parameter, addresses, mask);
}

void MemoryUnit::load_slot(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = context_.program.memory[op.detail];
  move_interleaved(memory, true, context_.registers + memory.address,
                   static_cast<uint64_t>(memory.offset), mask, context_.registers);
}

void MemoryUnit::store_slot(const MicroOp& op, uint32_t mask) {
  const MemoryOp& memory = context_.program.memory[op.detail];
  move_interleaved(memory, false, context_.registers + memory.address,
                   static_cast<uint64_t>(memory.offset), mask, context_.registers);
}

void MemoryUnit::transfer(const MemoryOp& op, AccessKind kind, Addresses& addresses,
                          uint32_t mask) {
  if (op.space == MemorySpace::generic) {
    transfer_generic(op, kind, addresses, mask);
    return;
  }
  if (op.space == MemorySpace::parameter) addresses.subtract(address_windows().parameter);
  if (op.space == MemorySpace::shared) addresses.strip_own_rank(context_.block->rank);
  transfer_in_space(op, kind, addresses, mask);
}

// The addresses are now offsets in the space, except for global and constant memory.
void MemoryUnit::transfer_in_space(const MemoryOp& op, AccessKind kind, Addresses& addresses,
                                   uint32_t mask) {
  const MemorySpace space = op.space;
  const uint32_t bytes = static_cast<uint32_t>(op.element_bytes) * op.count;
  if (space == MemorySpace::shared && addresses.names_a_rank() && !op.has_shared_array()) {
    spaces_.for_each_owner(addresses, mask, kind, [&](Addresses& part, uint32_t lanes) {
      transfer_in_space(op, kind, part, lanes);
    });
    return;
  }
  spaces_.check(op, kind, space, addresses, mask, bytes);
  if (context_.observer != nullptr) {
    caches_.observe(kind, space, addresses, mask, bytes, context_.pc, op.ordering, op.scope);
    if (context_.wants_values && kind == AccessKind::store)
      observe_values(op, kind, space, addresses, mask);
  }
  move_values(op, kind, space, addresses, mask);
  if (context_.wants_values && kind == AccessKind::load)
    observe_values(op, kind, space, addresses, mask);
}

void MemoryUnit::transfer_generic(const MemoryOp& op, AccessKind kind, Addresses& addresses,
                                  uint32_t mask) {
  MemoryOp resolved = op;
  spaces_.for_each_space(addresses, mask, [&](MemorySpace space, Addresses& part, uint32_t lanes) {
    resolved.space = space;
    transfer_in_space(resolved, kind, part, lanes);
  });
}

std::byte* AddressSpaces::host_address(MemorySpace space, uint64_t address) const {
  if (space == MemorySpace::shared) return context_.owner->shared.get() + address;
  if (space == MemorySpace::parameter)
    return const_cast<std::byte*>(context_.launch.config.parameters.data()) + address;
  return reinterpret_cast<std::byte*>(address);
}

void MemoryUnit::move_values(const MemoryOp& op, AccessKind kind, MemorySpace space,
                             const Addresses& addresses, uint32_t mask) {
  const bool is_load = kind == AccessKind::load;
  if (space == MemorySpace::local) {
    move_interleaved(op, is_load, context_.warp->local.data(), addresses, mask, context_.registers);
    return;
  }
  op.transfer(op, addresses, reinterpret_cast<uint64_t>(spaces_.host_address(space, 0)), mask,
              context_.registers, context_.loops);
}

}  // namespace ridge::machine
