// cp.async: the bytes are read when the copy is issued and written when the thread waits for it, so that a
// forgotten wait shows as missing data.
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

void Core::async_copy(const MicroOp& op, uint32_t mask) {
  const AsyncCopyOp& copy = program_.async_copies[op.detail];
  Addresses source, destination;
  find_addresses(copy.destination, mask, destination);
  destination.strip_own_rank(block_->rank);
  check(copy.destination, AccessKind::store, MemorySpace::shared, destination, mask, copy.bytes);

  // A lane reads only what it asks for: nothing at all when it only fills with zeros.
  uint32_t readers = mask;
  if (copy.ignore != kNoRow)
    readers &= copy.ignore_negated ? *row<uint32_t>(copy.ignore) : ~*row<uint32_t>(copy.ignore);
  std::array<uint32_t, kLanes> wanted;
  wanted.fill(copy.bytes);
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
  if (whole != 0) {
    find_addresses(copy.source, whole, source);
    check(copy.source, AccessKind::load, MemorySpace::global, source, whole, copy.bytes);
    if (observer_ != nullptr) observe(AccessKind::load, MemorySpace::global, source, whole, copy.bytes, pc_);
  }
  for (uint32_t rest = readers & ~whole; rest != 0; rest &= rest - 1) {
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
  if (readers != 0) find_addresses(copy.source, readers, source);

  for (uint32_t remaining = mask; remaining != 0;) {
    PendingCopy pending;
    pending.group = warp_->committed_groups[static_cast<size_t>(std::countr_zero(remaining))];
    pending.instruction = pc_;
    pending.bytes = copy.bytes;
    pending.serial = warp_->next_copy++;
    for (uint32_t rest = remaining; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const auto at = static_cast<size_t>(lane);
      if (warp_->committed_groups[at] != pending.group) continue;
      pending.mask |= 1u << lane;
      pending.destination[at] = static_cast<uint32_t>(destination.of(lane));
      pending.data[at] = {};
      if (readers >> lane & 1)
        std::memcpy(pending.data[at].data(), reinterpret_cast<const void*>(source.of(lane)), wanted[at]);
    }
    remaining &= ~pending.mask;
    warp_->copies.push_back(pending);
  }
}

void Core::async_commit(uint32_t mask) {
  const std::array<uint32_t, kLanes> before = warp_->committed_groups;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    ++warp_->committed_groups[static_cast<size_t>(std::countr_zero(rest))];
  if (observer_ != nullptr) tell_groups(mask, before, warp_->committed_groups, true);
}

// wait_group N: all but the lane's newest N groups have arrived; what was never committed has not. wait_all:
// everything.
void Core::async_wait(const MicroOp& op, uint32_t mask) {
  auto& copies = warp_->copies;
  const bool everything = op.target == 1;
  if (observer_ != nullptr) {
    std::array<uint32_t, kLanes> first{}, last{};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t committed = warp_->committed_groups[lane];
      first[lane] = warp_->waited_groups[lane];
      last[lane] = everything ? committed : std::max(first[lane], committed - std::min(committed, op.detail));
      if (mask >> lane & 1) warp_->waited_groups[lane] = last[lane];
    }
    tell_groups(mask, first, last, false);
  }
  for (size_t i = 0; i < copies.size();) {
    PendingCopy& copy = copies[i];
    uint32_t arrived = 0;
    for (uint32_t rest = copy.mask & mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const uint32_t committed = warp_->committed_groups[static_cast<size_t>(lane)];
      if (everything || copy.group + op.detail < committed) arrived |= 1u << lane;
    }
    if (arrived != 0) write_copy(copy, arrived);
    copy.mask &= ~arrived;
    if (copy.mask == 0)
      copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
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
        copy.mask &= ~(1u << arrival.lane);
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

void Core::write_copy(PendingCopy& copy, uint32_t mask) {
  if (observer_ != nullptr) {
    Addresses destination;
    for (size_t lane = 0; lane < kLanes; ++lane)
      destination.lanes[lane] = mask >> lane & 1 ? copy.destination[lane] : 0;
    loops_.summarize64(destination.lanes, 0, mask, destination.summary, destination.lanes);
    observe(AccessKind::store, MemorySpace::shared, destination, mask, copy.bytes, copy.instruction);
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(mask));
    std::memcpy(block_->shared.get() + copy.destination[lane], copy.data[lane].data(), copy.bytes);
  }
  made_progress_ = true;
}

}  // namespace ridge::machine
