// Checks every access before it is made: each lane must be within one array, and aligned.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/machine/memory/memory_unit.h"

namespace ridge::machine {
namespace {

AccessSpace observed_space(MemorySpace space) {
  switch (space) {
    case MemorySpace::shared:
      return AccessSpace::shared;
    case MemorySpace::local:
      return AccessSpace::local;
    case MemorySpace::constant:
      return AccessSpace::constant;
    case MemorySpace::parameter:
      return AccessSpace::param;
    default:
      return AccessSpace::global;
  }
}

}  // namespace

// The rank of the block whose shared memory is accessed, if it is not the thread's own.
uint32_t AddressSpaces::peer_rank(MemorySpace space) const {
  return space == MemorySpace::shared && context_.owner != context_.block ? context_.owner->rank
                                                                          : BadAccess::kOwnBlock;
}

void fill_addresses(const Access& access, uint64_t out[32]) {
  for (uint64_t lane = 0; lane < kLanes; ++lane) {
    out[lane] = access.shape == AccessShape::scattered
                    ? access.addresses[lane]
                    : access.base + static_cast<uint64_t>(access.stride) * lane;
  }
}

bool AddressSpaces::is_unreachable(uint64_t address) const {
  const uint64_t reachable = context_.launch.config.reachable_arenas;
  if (~reachable == 0) return false;
  const unsigned arena = context_.launch.memory.arena_of(address);
  return arena != DeviceMemory::kNoArena && (reachable >> arena & 1) == 0;
}

DeviceMemory::Range AddressSpaces::reachable_range(uint64_t address) const {
  return is_unreachable(address) ? DeviceMemory::Range{} : context_.launch.memory.range_of(address);
}

bool AddressSpaces::inside_global(const MemoryOp& op, uint64_t lowest, uint64_t end) {
  DeviceMemory::Range& cached = allocation_caches_[op.cache];
  if (lowest >= cached.begin && end <= cached.end) return true;
  DeviceMemory::Range range = reachable_range(lowest);
  if (!context_.launch.config.bounds_checks && (range.end == 0 || end > range.end))
    range = context_.launch.memory.reserved();
  if (range.end == 0 || lowest < range.begin || end > range.end || end < lowest) return false;
  cached = range;
  return true;
}

void AddressSpaces::name_shared_array(const MemoryOp& op, BadAccess& bad) const {
  const SharedArray* array = shared_array_at(context_.program, op.shared_begin);
  if (array == nullptr) return;
  bad.shared_array = array->name;
  bad.shared_array_bytes =
      (array->bytes == 0 ? context_.launch.shared_bytes : op.shared_end) - op.shared_begin;
  // Addresses of shared memory have 32 bits; those below its begin have wrapped around.
  bad.shared_offset = static_cast<int32_t>(static_cast<uint32_t>(bad.address) - op.shared_begin);
  if (bad.address < context_.launch.shared_bytes) {
    const SharedArray* hit = shared_array_at(context_.program, bad.address);
    bad.hits =
        hit == nullptr || hit == array ? "no array" : fmt::format("the array `{}`", hit->name);
  }
}

void AddressSpaces::check(const MemoryOp& op, AccessKind kind, MemorySpace space,
                          const Addresses& addresses, uint32_t mask, uint32_t bytes) {
  const AddressSummary& s = addresses.summary;
  const uint64_t end = s.highest + bytes;
  bool inside = false;
  switch (space) {
    case MemorySpace::shared:
      inside = s.lowest >= shared_range(op).begin && end <= shared_range(op).end;
      break;
    case MemorySpace::local:
      inside = end <= context_.frame->local_top;
      break;
    case MemorySpace::parameter:
      inside = end <= context_.program.info.parameter_bytes;
      break;
    default:
      inside = inside_global(op, s.lowest, end);
  }
  if (inside && end > s.lowest && (s.bits & (bytes - 1)) == 0) return;
  check_lanes(op, kind, space, addresses, mask, bytes);
}

// The slow check, lane by lane: lanes may be in different arrays.
void AddressSpaces::check_lanes(const MemoryOp& op, AccessKind kind, MemorySpace space,
                                const Addresses& addresses, uint32_t mask, uint32_t bytes) {
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    const uint64_t address = addresses.of(lane), end = address + bytes;
    BadAccess bad{kind, observed_space(space), address, bytes, 0, {}};
    bool inside = end > address;
    switch (space) {
      case MemorySpace::shared:
        bad.limit = context_.launch.shared_bytes;
        bad.peer_rank = peer_rank(space);
        inside = inside && address >= shared_range(op).begin && end <= shared_range(op).end;
        if (!inside && op.has_shared_array()) name_shared_array(op, bad);
        break;
      case MemorySpace::local:
        bad.limit = context_.frame->local_top;
        break;
      case MemorySpace::parameter:
        bad.limit = context_.program.info.parameter_bytes;
        break;
      default:
        inside = inside && inside_global(op, address, end);
    }
    if (space == MemorySpace::shared || space == MemorySpace::local ||
        space == MemorySpace::parameter)
      inside = inside && end <= bad.limit;
    if (inside && (address & (bytes - 1)) == 0) continue;
    if (bad.space == AccessSpace::global || bad.space == AccessSpace::constant)
      bad.nearest = context_.launch.memory.nearest(address);
    if (bad.nearest) {
      if (const auto meant = accessed_array(context_.program, context_.launch.config, context_.launch.memory,
                                            context_.pc)) {
        bad.nearest = meant->array;
        bad.parameter = meant->parameter;
      }
    }
    if (!inside && bad.nearest && is_unreachable(address))
      bad.unreachable_from = context_.launch.config.arena;
    if (bad.unreachable_from) bad.unreachable_owner = context_.launch.memory.arena_of(address);
    const FaultText text = inside ? misaligned_text(bad) : out_of_bounds_text(bad);
    context_.fault(inside ? Fault::Kind::misaligned : Fault::Kind::out_of_bounds,
                   context_.culprit(lane), text.what, text.advice, text.cause);
  }
}

void AccessCaches::observe(AccessKind kind, MemorySpace space, const Addresses& addresses,
                           uint32_t mask, uint32_t bytes, uint32_t instruction, Ordering ordering,
                           Scope scope, const uint64_t* lands_at) {
  const AddressSummary& s = addresses.summary;
  Access access;
  access.instruction = instruction;
  access.space = observed_space(space);
  access.kind = kind;
  access.shape = s.shape;
  access.mask = mask;
  access.bytes = bytes;
  access.base = s.base;
  access.stride = s.stride;
  access.addresses = addresses.lanes;
  access.block = context_.block->linear;
  access.warp = context_.warp->index;
  access.first = addresses.of(std::countr_zero(mask));
  access.ordering = ordering;
  access.scope = scope;
  access.owner = context_.owner->linear;
  access.lands_at = lands_at;
  observed_ = access;
  context_.observer->access(access);
}

void MemoryUnit::observe_values(const MemoryOp& op, AccessKind kind, MemorySpace space,
                                const Addresses& addresses, uint32_t mask) {
  const AddressSummary& s = addresses.summary;
  const uint32_t bytes = static_cast<uint32_t>(op.element_bytes) * op.count;
  std::byte values[kLanes * 32] = {};
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    for (uint32_t k = 0; k < op.count; ++k) {
      if (op.values[k] == kNoRow) continue;
      std::memcpy(values + lane * bytes + k * op.element_bytes,
                  context_.registers + op.values[k] + lane * op.register_bytes, op.element_bytes);
    }
  }
  Access access{context_.pc,
                observed_space(space),
                kind,
                s.shape,
                mask,
                bytes,
                s.base,
                s.stride,
                addresses.lanes,
                context_.block->linear,
                context_.warp->index};
  access.ordering = op.ordering;
  access.scope = op.scope;
  access.owner = context_.owner->linear;
  context_.observer->values(access, values);
}

}  // namespace ridge::machine
