// cp.async: the bytes are read when the copy is issued and written when the thread waits for it, so
// that a missing wait shows as missing data.
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/copy_engine/lane_copies.h"
#include "virtual_gpu/machine/memory/access_fast_path.h"

namespace ridge::machine {
namespace {

// The addresses of an access that follows its cache.
void fill_cached(const AccessCache& cached, const MemoryOp& op, uint64_t first, Addresses& filled) {
  filled.summary.shape = cached.shape;
  filled.summary.base = first - cached.to_lane_0;
  filled.summary.stride = cached.stride;
  if (cached.shape == AccessShape::scattered)
    AccessCaches::fill_cached_addresses(cached, op, first, filled.lanes);
}

}  // namespace

// Checks and stores the destination addresses.
void CopyEngine::find_destination(const AsyncCopyOp& copy, uint32_t mask, Addresses& destination) {
  AccessCache& cached = caches_.cache(copy.destination.cache);
  uint64_t first;
  if (caches_.matches_cache(
          cached, [&] { return copy.destination.address; }, mask, first)) {
    cached.misses = 0;
    fill_cached(cached, copy.destination, first, destination);
    return;
  }
  spaces_.find_addresses(copy.destination, mask, destination);
  caches_.update_cache(copy.destination, AccessKind::store, destination, mask);
  destination.strip_own_rank(context_.block->rank);
  spaces_.check(copy.destination, AccessKind::store, MemorySpace::shared, destination, mask,
                copy.bytes);
}

// For lanes that read as many bytes as they write: checks the source addresses and reports the
// access together with the destination. `mask`: all lanes that copy.
void CopyEngine::find_source(const MicroOp& op, const Addresses& destination, uint32_t mask,
                             uint32_t whole, Addresses& source) {
  const AsyncCopyOp& copy = context_.program.async_copies[op.detail];
  const AccessCache& place = caches_.cache(copy.destination.cache);
  const uint64_t place_pattern = place.mask == mask ? place.pattern : 0;
  AccessCache& cached = caches_.cache(copy.source.cache);
  uint64_t first;
  uint64_t lands_at[kLanes];
  const auto fill_places = [&] {
    std::fill_n(lands_at, kLanes, 0);
    for (uint32_t rest = whole; rest != 0; rest &= rest - 1)
      lands_at[std::countr_zero(rest)] = destination.of(std::countr_zero(rest));
  };
  // The cost of the load depends on both addresses.
  const bool may_repeat = context_.observer == nullptr ||
                          (place_pattern != 0 && landed_[op.detail].source_to == place_pattern);
  if (may_repeat && caches_.matches_cache(
                        cached, [&] { return copy.source.address; }, whole, first)) {
    cached.misses = 0;
    if (context_.observer != nullptr && !caches_.elides(cached, first)) {
      fill_places();
      caches_.remembered(copy.source.cache).lands_at = lands_at;
      caches_.observe_cached(cached, copy.source, first);
    }
    fill_cached(cached, copy.source, first, source);
    return;
  }
  spaces_.find_addresses(copy.source, whole, source);
  spaces_.check(copy.source, AccessKind::load, MemorySpace::global, source, whole, copy.bytes);
  caches_.update_cache(copy.source, AccessKind::load, source, whole);
  if (context_.observer == nullptr) return;
  fill_places();
  caches_.observe(AccessKind::load, MemorySpace::global, source, whole, copy.bytes, context_.pc,
                  Ordering::weak, Scope::system, lands_at);
  caches_.remembered(copy.source.cache) = caches_.observed();
  caches_.remembered(copy.source.cache).repeats = true;
  landed_[op.detail].source_to = place_pattern;
}

void CopyEngine::async_copy(const MicroOp& op, uint32_t mask) {
  const AsyncCopyOp& copy = context_.program.async_copies[op.detail];
  Addresses source, destination;
  find_destination(copy, mask, destination);

  // A lane reads only the bytes that it requests: none when it only fills with zeros.
  uint32_t readers = mask;
  if (copy.ignore != kNoRow)
    readers &= copy.ignore_negated ? *context_.row<uint32_t>(copy.ignore)
                                   : ~*context_.row<uint32_t>(copy.ignore);
  std::array<uint32_t, kLanes> wanted;
  uint32_t whole = readers;
  if (copy.source_bytes != kNoRow) {
    const uint32_t* bytes = context_.row<uint32_t>(copy.source_bytes);
    for (uint32_t rest = readers; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      wanted[lane] = std::min(bytes[lane], copy.bytes);
      if (wanted[lane] < copy.bytes) whole &= ~(1u << lane);
      if (wanted[lane] == 0) readers &= ~(1u << lane);
    }
  }
  if (whole != 0) find_source(op, destination, mask, whole, source);
  const uint32_t parts = readers & ~whole;
  for (uint32_t rest = parts; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Addresses one;
    spaces_.find_addresses(copy.source, 1u << lane, one);
    // A partial element need not be aligned: check its first and its last byte.
    Addresses last = one;
    last.subtract(1 - uint64_t{wanted[static_cast<size_t>(lane)]});
    spaces_.check(copy.source, AccessKind::load, MemorySpace::global, one, 1u << lane, 1);
    spaces_.check(copy.source, AccessKind::load, MemorySpace::global, last, 1u << lane, 1);
    if (context_.observer != nullptr)
      caches_.observe(AccessKind::load, MemorySpace::global, one, 1u << lane,
                      wanted[static_cast<size_t>(lane)], context_.pc);
  }
  if (parts != 0) {
    caches_.cache(copy.source.cache).mask = 0;  // the next access is not a repetition of these
    spaces_.find_addresses(copy.source, readers, source);
  }

  const AccessCache& cached = caches_.cache(copy.destination.cache);
  for (uint32_t remaining = mask; remaining != 0;) {
    PendingCopy& pending = context_.warp->copies.emplace_back();
    pending.group =
        context_.warp->committed_groups[static_cast<size_t>(std::countr_zero(remaining))];
    pending.instruction = context_.pc;
    pending.bytes = copy.bytes;
    pending.serial = context_.warp->next_copy++;
    pending.mask = remaining & lanes_in_group(context_.warp->committed_groups, pending.group);
    remaining &= ~pending.mask;
    pending.pattern = cached.mask == pending.mask ? cached.pattern : 0;
    pending.is_row = is_row(destination, pending.mask, copy.bytes);
    if (pending.is_row) pending.row = destination.of(0);
    for_each_lane(pending.is_row ? 0 : pending.mask, copy.bytes, [&](size_t lane, size_t) {
      pending.scattered[lane] = destination.of(static_cast<int>(lane));
    });
    if (is_row(source, pending.mask & whole, copy.bytes)) {
      copy_row(pending.data.data(), reinterpret_cast<const void*>(source.of(0)), copy.bytes);
      continue;
    }
    const auto host = [&](size_t lane) {
      return reinterpret_cast<const void*>(source.of(static_cast<int>(lane)));
    };
    for_each_lane(pending.mask & whole, copy.bytes, [&](size_t lane, size_t bytes) {
      std::memcpy(pending.of(lane), host(lane), bytes);
    });
    for_each_lane(pending.mask & ~whole, copy.bytes, [&](size_t lane, size_t bytes) {
      std::memset(pending.of(lane), 0, bytes);
      if (parts >> lane & 1) std::memcpy(pending.of(lane), host(lane), wanted[lane]);
    });
  }
  if (context_.observer != nullptr) notify_copy_begins(destination, mask, copy.bytes);
}

void CopyEngine::notify_copy_begins(const Addresses& destination, uint32_t mask, uint32_t bytes) {
  Access begins;
  begins.instruction = context_.pc;
  begins.space = AccessSpace::shared;
  begins.kind = AccessKind::store;
  begins.shape = destination.summary.shape;
  begins.mask = mask;
  begins.bytes = bytes;
  begins.base = destination.summary.base;
  begins.stride = destination.summary.stride;
  begins.addresses = destination.lanes;
  begins.block = begins.owner = context_.block->linear;
  begins.warp = context_.warp->index;
  begins.first = destination.of(std::countr_zero(mask));
  context_.observer->async_copy_begins(begins);
}

}  // namespace ridge::machine
