// cp.async: the bytes are read when the copy is issued and written when the thread waits for it, so
// that a missing wait shows as missing data.
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/memory/access_fast_path.h"

namespace ridge::machine {

namespace {

// Copies each lane's bytes. Usually all lanes copy the same number, which is then a compile-time
// constant.
template <class Copy>
void for_each_lane(uint32_t lanes, uint32_t bytes, const Copy& copy) {
  const auto each = [&](auto count) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      copy(static_cast<size_t>(std::countr_zero(rest)), count());
  };
  if (bytes == 16) return each([] { return size_t{16}; });
  if (bytes == 8) return each([] { return size_t{8}; });
  each([] { return size_t{4}; });
}

}  // namespace

// Checks and stores the destination addresses.
void CopyEngine::find_destination(const AsyncCopyOp& copy, uint32_t mask, Addresses& destination) {
  AccessCache& cached = caches_.cache(copy.destination.cache);
  uint64_t first;
  if (caches_.matches_cache(
          cached, [&] { return copy.destination.address; }, mask, first)) {
    cached.misses = 0;
    destination.summary.shape = AccessShape::scattered;
    caches_.fill_cached_addresses(cached, copy.destination, first, destination.lanes);
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
  uint64_t lands_at[kLanes] = {};
  const auto fill_places = [&] {
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
    source.summary.shape = AccessShape::scattered;
    caches_.fill_cached_addresses(cached, copy.source, first, source.lanes);
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
    for (size_t lane = 0; lane < kLanes; ++lane)
      pending.mask |= uint32_t{context_.warp->committed_groups[lane] == pending.group} << lane;
    pending.mask &= remaining;
    remaining &= ~pending.mask;
    pending.pattern = cached.mask == pending.mask ? cached.pattern : 0;
    for_each_lane(pending.mask, copy.bytes, [&](size_t lane, size_t) {
      pending.destination[lane] = destination.of(static_cast<int>(lane));
    });
    const auto host = [&](size_t lane) {
      return reinterpret_cast<const void*>(source.of(static_cast<int>(lane)));
    };
    for_each_lane(pending.mask & whole, copy.bytes, [&](size_t lane, size_t bytes) {
      std::memcpy(pending.data[lane].data(), host(lane), bytes);
    });
    for_each_lane(pending.mask & ~whole, copy.bytes, [&](size_t lane, size_t) {
      pending.data[lane] = {};
      if (parts >> lane & 1) std::memcpy(pending.data[lane].data(), host(lane), wanted[lane]);
    });
  }
  if (context_.observer != nullptr) notify_copy_begins(destination, mask, copy.bytes);
}

void CopyEngine::async_commit(uint32_t mask) {
  const std::array<uint32_t, kLanes> before = context_.warp->committed_groups;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    ++context_.warp->committed_groups[static_cast<size_t>(std::countr_zero(rest))];
  if (context_.observer == nullptr) return;
  context_.notify_groups(mask, before, context_.warp->committed_groups, true);
  const uint32_t group = before[static_cast<size_t>(std::countr_zero(mask))];
  const auto& copies = context_.warp->copies;
  const bool is_empty = std::none_of(copies.begin(), copies.end(), [&](const PendingCopy& copy) {
    return copy.group == group && (copy.mask & mask) != 0;
  });
  notify_step(
      context_.observer,
      {AsyncStep::Kind::commit, context_.block->linear, context_.warp->index, mask, context_.pc, 0,
       groups_of(Groups::copies, context_.block->linear, context_.warp->index, group), is_empty});
}

// wait_group N: all but the lane's newest N groups are complete; copies that were never committed
// are not. wait_all: everything.
void CopyEngine::async_wait(const MicroOp& op, uint32_t mask) {
  auto& copies = context_.warp->copies;
  const bool everything = op.target == 1;
  context_.warp->last_group_wait = everything ? 0 : op.detail;
  context_.warp->last_group_wait_pc = context_.pc;
  SyncPlace waited;
  if (context_.observer != nullptr) {
    std::array<uint32_t, kLanes> first{}, last{};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t committed = context_.warp->committed_groups[lane];
      first[lane] = context_.warp->waited_groups[lane];
      last[lane] = everything ? committed
                              : std::max(first[lane], committed - std::min(committed, op.detail));
      if (mask >> lane & 1) context_.warp->waited_groups[lane] = last[lane];
    }
    context_.notify_groups(mask, first, last, false);
    waited = groups_of(Groups::copies, context_.block->linear, context_.warp->index,
                       last[static_cast<size_t>(std::countr_zero(mask))]);
    notify_step(context_.observer, {AsyncStep::Kind::wait, context_.block->linear,
                                    context_.warp->index, mask, context_.pc, 0, waited});
  }
  for (PendingCopy& copy : copies) {
    uint32_t arrived = 0;
    for (uint32_t rest = copy.mask & mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const uint32_t committed = context_.warp->committed_groups[static_cast<size_t>(lane)];
      if (everything || copy.group + op.detail < committed) arrived |= 1u << lane;
    }
    if (arrived != 0) write_copy(copy, arrived);
  }
  std::erase_if(copies, [](const PendingCopy& copy) { return copy.mask == 0; });
  notify_step(context_.observer, {AsyncStep::Kind::waited, context_.block->linear,
                                  context_.warp->index, mask, context_.pc, 0, waited});
}

// cp.async.mbarrier.arrive: the copies that the lane had issued before complete, and it arrives.
void CopyEngine::land_arrivals(Block& owner, uint32_t mbarrier) {
  Block* const running_block = context_.block;
  Warp* const running_warp = context_.warp;
  context_.block = context_.owner = &owner;
  bool any_left = false;
  for (Warp& warp : owner.warps) {
    if (warp.arrivals.empty()) continue;
    context_.warp = &warp;
    std::vector<PendingArrival> here;
    std::erase_if(warp.arrivals, [&](const PendingArrival& arrival) {
      if (arrival.mbarrier != mbarrier) return false;
      here.push_back(arrival);
      return true;
    });
    any_left |= !warp.arrivals.empty();
    for (const PendingArrival& arrival : here) {
      for (PendingCopy& copy : warp.copies) {
        if (copy.serial >= arrival.copies_before || !(copy.mask >> arrival.lane & 1)) continue;
        write_copy(copy, 1u << arrival.lane);
      }
      const MbarrierPlace place{&owner, mbarrier};
      const Culprit who{&owner, warp.index, arrival.lane, arrival.instruction};
      if (context_.observer != nullptr)
        context_.observer->released(owner.linear, warp.index, 1u << arrival.lane,
                                    {SyncPlace::Kind::mbarrier, owner.linear, mbarrier,
                                     mbarriers_.mbarrier_phase(place).phase});
      mbarriers_.arrive_on(place, mbarriers_.read_mbarrier(place, who), 1, who);
    }
    std::erase_if(warp.copies, [](const PendingCopy& copy) { return copy.mask == 0; });
  }
  owner.has_async_arrivals = any_left;
  context_.block = context_.owner = running_block;
  context_.warp = running_warp;
}

// Completes a copy for some lanes.
void CopyEngine::write_copy(PendingCopy& copy, uint32_t mask) {
  if (mask != copy.mask) copy.pattern = 0;
  if (context_.observer != nullptr) notify_landed(copy, mask);
  for_each_lane(mask, copy.bytes, [&](size_t lane, size_t bytes) {
    std::memcpy(context_.block->shared.get() + copy.destination[lane], copy.data[lane].data(),
                bytes);
  });
  copy.mask &= ~mask;
  context_.made_progress = true;
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

void CopyEngine::notify_landed(const PendingCopy& copy, uint32_t mask) {
  LandedCopy& last = landed_[context_.program.ops[copy.instruction].detail];
  if (copy.pattern != 0 && copy.pattern == last.pattern) {
    Access& access = last.access;
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    access.first = copy.destination[lane];
    access.base = access.first - static_cast<uint64_t>(access.stride) * lane;
    access.addresses = copy.destination.data();
    access.block = access.owner = context_.block->linear;
    access.warp = context_.warp->index;
    return context_.observer->access(access);
  }
  Addresses destination;
  for (size_t lane = 0; lane < kLanes; ++lane)
    destination.lanes[lane] = mask >> lane & 1 ? copy.destination[lane] : 0;
  context_.loops.summarize64(destination.lanes, 0, mask, destination.summary, destination.lanes);
  caches_.observe(AccessKind::store, MemorySpace::shared, destination, mask, copy.bytes,
                  copy.instruction);
  last.pattern = copy.pattern;
  last.access = caches_.observed();
  last.access.repeats = true;
}

}  // namespace ridge::machine
