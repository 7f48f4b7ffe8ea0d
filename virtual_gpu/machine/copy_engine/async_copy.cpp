// cp.async: the bytes are read when the copy is issued and written when the thread waits for it, so that a
// forgotten wait shows as missing data.
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/memory/hot_access.h"

namespace ridge::machine {

namespace {

// A lane's bytes: mostly all lanes copy as many, and the compiler then knows how many.
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

// Where the bytes go, checked.
void Core::find_destination(const AsyncCopyOp& copy, uint32_t mask, Addresses& destination) {
  KnownAccess& known = known_[copy.destination.cache];
  uint64_t first;
  if (is_as_known(
          known, [&] { return copy.destination.address; }, mask, first)) {
    known.misses = 0;
    destination.summary.shape = AccessShape::scattered;
    fill_known(known, copy.destination, first, destination.lanes);
    return;
  }
  find_addresses(copy.destination, mask, destination);
  learn(copy.destination, AccessKind::store, destination, mask);
  destination.strip_own_rank(block_->rank);
  check(copy.destination, AccessKind::store, MemorySpace::shared, destination, mask, copy.bytes);
}

// Where lanes read as much as they write: checked, and told, with where the bytes go. `mask`: all that copy.
void Core::find_source(const MicroOp& op, const Addresses& destination, uint32_t mask, uint32_t whole,
                       Addresses& source) {
  const AsyncCopyOp& copy = program_.async_copies[op.detail];
  const KnownAccess& place = known_[copy.destination.cache];
  const uint64_t place_pattern = place.mask == mask ? place.pattern : 0;
  KnownAccess& known = known_[copy.source.cache];
  uint64_t first;
  uint64_t lands_at[kLanes] = {};
  const auto fill_places = [&] {
    for (uint32_t rest = whole; rest != 0; rest &= rest - 1)
      lands_at[std::countr_zero(rest)] = destination.of(std::countr_zero(rest));
  };
  // What a load costs depends on both its sides.
  const bool may_repeat =
      observer_ == nullptr || (place_pattern != 0 && landed_[op.detail].source_to == place_pattern);
  if (may_repeat && is_as_known(
                        known, [&] { return copy.source.address; }, whole, first)) {
    known.misses = 0;
    if (observer_ != nullptr && !is_quiet(known, first)) {
      fill_places();
      known_observed_[copy.source.cache].lands_at = lands_at;
      observe_known(known, copy.source, first);
    }
    source.summary.shape = AccessShape::scattered;
    fill_known(known, copy.source, first, source.lanes);
    return;
  }
  find_addresses(copy.source, whole, source);
  check(copy.source, AccessKind::load, MemorySpace::global, source, whole, copy.bytes);
  learn(copy.source, AccessKind::load, source, whole);
  if (observer_ == nullptr) return;
  fill_places();
  observe(AccessKind::load, MemorySpace::global, source, whole, copy.bytes, pc_, Ordering::weak,
          Scope::system, lands_at);
  known_observed_[copy.source.cache] = observed_;
  known_observed_[copy.source.cache].repeats = true;
  landed_[op.detail].source_to = place_pattern;
}

void Core::async_copy(const MicroOp& op, uint32_t mask) {
  const AsyncCopyOp& copy = program_.async_copies[op.detail];
  Addresses source, destination;
  find_destination(copy, mask, destination);

  // A lane reads only what it asks for: nothing at all when it only fills with zeros.
  uint32_t readers = mask;
  if (copy.ignore != kNoRow)
    readers &= copy.ignore_negated ? *row<uint32_t>(copy.ignore) : ~*row<uint32_t>(copy.ignore);
  std::array<uint32_t, kLanes> wanted;
  uint32_t whole = readers;
  if (copy.source_bytes != kNoRow) {
    const uint32_t* bytes = row<uint32_t>(copy.source_bytes);
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
    find_addresses(copy.source, 1u << lane, one);
    // Part of an element need not be aligned: its first and its last byte are looked at.
    Addresses last = one;
    last.subtract(1 - uint64_t{wanted[static_cast<size_t>(lane)]});
    check(copy.source, AccessKind::load, MemorySpace::global, one, 1u << lane, 1);
    check(copy.source, AccessKind::load, MemorySpace::global, last, 1u << lane, 1);
    if (observer_ != nullptr)
      observe(AccessKind::load, MemorySpace::global, one, 1u << lane, wanted[static_cast<size_t>(lane)], pc_);
  }
  if (parts != 0) {
    known_[copy.source.cache].mask = 0;  // the next access repeats none of these
    find_addresses(copy.source, readers, source);
  }

  const KnownAccess& known = known_[copy.destination.cache];
  for (uint32_t remaining = mask; remaining != 0;) {
    PendingCopy& pending = warp_->copies.emplace_back();
    pending.group = warp_->committed_groups[static_cast<size_t>(std::countr_zero(remaining))];
    pending.instruction = pc_;
    pending.bytes = copy.bytes;
    pending.serial = warp_->next_copy++;
    for (size_t lane = 0; lane < kLanes; ++lane)
      pending.mask |= uint32_t{warp_->committed_groups[lane] == pending.group} << lane;
    pending.mask &= remaining;
    remaining &= ~pending.mask;
    pending.pattern = known.mask == pending.mask ? known.pattern : 0;
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
  if (observer_ != nullptr) tell_copy_begins(destination, mask, copy.bytes);
}

void Core::async_commit(uint32_t mask) {
  const std::array<uint32_t, kLanes> before = warp_->committed_groups;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    ++warp_->committed_groups[static_cast<size_t>(std::countr_zero(rest))];
  if (observer_ == nullptr) return;
  tell_groups(mask, before, warp_->committed_groups, true);
  tell_step(observer_, {AsyncStep::Kind::commit, block_->linear, warp_->index, mask, pc_, 0,
                        groups_of(Groups::copies, block_->linear, warp_->index,
                                  before[static_cast<size_t>(std::countr_zero(mask))])});
}

// wait_group N: all but the lane's newest N groups have arrived; what was never committed has not. wait_all:
// everything.
void Core::async_wait(const MicroOp& op, uint32_t mask) {
  auto& copies = warp_->copies;
  const bool everything = op.target == 1;
  SyncPlace waited;
  if (observer_ != nullptr) {
    std::array<uint32_t, kLanes> first{}, last{};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t committed = warp_->committed_groups[lane];
      first[lane] = warp_->waited_groups[lane];
      last[lane] = everything ? committed : std::max(first[lane], committed - std::min(committed, op.detail));
      if (mask >> lane & 1) warp_->waited_groups[lane] = last[lane];
    }
    tell_groups(mask, first, last, false);
    waited = groups_of(Groups::copies, block_->linear, warp_->index,
                       last[static_cast<size_t>(std::countr_zero(mask))]);
    tell_step(observer_, {AsyncStep::Kind::wait, block_->linear, warp_->index, mask, pc_, 0, waited});
  }
  for (PendingCopy& copy : copies) {
    uint32_t arrived = 0;
    for (uint32_t rest = copy.mask & mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const uint32_t committed = warp_->committed_groups[static_cast<size_t>(lane)];
      if (everything || copy.group + op.detail < committed) arrived |= 1u << lane;
    }
    if (arrived != 0) write_copy(copy, arrived);
  }
  std::erase_if(copies, [](const PendingCopy& copy) { return copy.mask == 0; });
  tell_step(observer_, {AsyncStep::Kind::waited, block_->linear, warp_->index, mask, pc_, 0, waited});
}

// cp.async.mbarrier.arrive: the copies that the lane had issued by then land, and it arrives.
void Core::land_arrivals(Block& owner, uint32_t mbarrier) {
  Block* const running_block = block_;
  Warp* const running_warp = warp_;
  block_ = owner_ = &owner;
  bool any_left = false;
  for (Warp& warp : owner.warps) {
    if (warp.arrivals.empty()) continue;
    warp_ = &warp;
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
      if (observer_ != nullptr)
        observer_->released(owner.linear, warp.index, 1u << arrival.lane,
                            {SyncPlace::Kind::mbarrier, owner.linear, mbarrier, mbarrier_phase(place).phase});
      arrive_on(place, read_mbarrier(place, who), 1, who);
    }
    std::erase_if(warp.copies, [](const PendingCopy& copy) { return copy.mask == 0; });
  }
  owner.has_async_arrivals = any_left;
  block_ = owner_ = running_block;
  warp_ = running_warp;
}

// Lanes of a copy land.
void Core::write_copy(PendingCopy& copy, uint32_t mask) {
  if (mask != copy.mask) copy.pattern = 0;
  if (observer_ != nullptr) tell_landed(copy, mask);
  for_each_lane(mask, copy.bytes, [&](size_t lane, size_t bytes) {
    std::memcpy(block_->shared.get() + copy.destination[lane], copy.data[lane].data(), bytes);
  });
  copy.mask &= ~mask;
  made_progress_ = true;
}

void Core::tell_copy_begins(const Addresses& destination, uint32_t mask, uint32_t bytes) {
  Access begins;
  begins.instruction = pc_;
  begins.space = AccessSpace::shared;
  begins.kind = AccessKind::store;
  begins.shape = destination.summary.shape;
  begins.mask = mask;
  begins.bytes = bytes;
  begins.base = destination.summary.base;
  begins.stride = destination.summary.stride;
  begins.addresses = destination.lanes;
  begins.block = begins.owner = block_->linear;
  begins.warp = warp_->index;
  begins.first = destination.of(std::countr_zero(mask));
  observer_->async_copy_begins(begins);
}

void Core::tell_landed(const PendingCopy& copy, uint32_t mask) {
  LandedCopy& last = landed_[program_.ops[copy.instruction].detail];
  if (copy.pattern != 0 && copy.pattern == last.pattern) {
    Access& access = last.access;
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    access.first = copy.destination[lane];
    access.base = access.first - static_cast<uint64_t>(access.stride) * lane;
    access.addresses = copy.destination.data();
    access.block = access.owner = block_->linear;
    access.warp = warp_->index;
    return observer_->access(access);
  }
  Addresses destination;
  for (size_t lane = 0; lane < kLanes; ++lane)
    destination.lanes[lane] = mask >> lane & 1 ? copy.destination[lane] : 0;
  loops_.summarize64(destination.lanes, 0, mask, destination.summary, destination.lanes);
  observe(AccessKind::store, MemorySpace::shared, destination, mask, copy.bytes, copy.instruction);
  last.pattern = copy.pattern;
  last.access = observed_;
  last.access.repeats = true;
}

}  // namespace ridge::machine
