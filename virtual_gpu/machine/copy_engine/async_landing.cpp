// Groups of cp.async are committed, waited for and completed: the bytes of a copy are written when
// its thread waits.
#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/copy_engine/lane_copies.h"

namespace ridge::machine {

void CopyEngine::async_commit(uint32_t mask) {
  const std::array<uint32_t, kLanes> before = context_.warp->committed_groups;
  for (size_t lane = 0; lane < kLanes; ++lane)
    context_.warp->committed_groups[lane] += mask >> lane & 1;
  if (context_.observer == nullptr) return;
  const uint32_t group = before[static_cast<size_t>(std::countr_zero(mask))];
  if (are_equal(before))
    context_.notify_groups(mask, group, group + 1, true);
  else
    context_.notify_groups(mask, before, context_.warp->committed_groups, true);
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
  const std::array<uint32_t, kLanes>& committed = context_.warp->committed_groups;
  const bool alike = are_equal(committed);
  SyncPlace waited;
  if (context_.observer != nullptr) {
    auto& known = context_.warp->waited_groups;
    const auto complete = [&](size_t lane) {
      return everything
                 ? committed[lane]
                 : std::max(known[lane], committed[lane] - std::min(committed[lane], op.detail));
    };
    const uint32_t last = complete(static_cast<size_t>(std::countr_zero(mask)));
    if (mask == kAllLanes && alike && are_equal(known)) {
      context_.notify_groups(mask, known[0], last, false);
      known.fill(last);
    } else {
      const std::array<uint32_t, kLanes> before = known;
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        known[lane] = complete(lane);
      }
      context_.notify_groups(mask, before, known, false);
    }
    waited = groups_of(Groups::copies, context_.block->linear, context_.warp->index, last);
    notify_step(context_.observer, {AsyncStep::Kind::wait, context_.block->linear,
                                    context_.warp->index, mask, context_.pc, 0, waited});
  }
  for (PendingCopy& copy : copies) {
    uint32_t arrived = copy.mask & mask;
    if (everything || alike) {
      if (!everything && copy.group + op.detail >= committed[0]) arrived = 0;
    } else {
      for (uint32_t rest = arrived; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        if (copy.group + op.detail >= committed[lane]) arrived &= ~(1u << lane);
      }
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
  std::byte* const shared = context_.block->shared.get();
  if (copy.is_row && mask == kAllLanes) {
    copy_row(shared + copy.row, copy.data.data(), copy.bytes);
  } else {
    for_each_lane(mask, copy.bytes, [&](size_t lane, size_t bytes) {
      std::memcpy(shared + copy.destination(lane), copy.of(lane), bytes);
    });
  }
  copy.mask &= ~mask;
  context_.made_progress = true;
}

void CopyEngine::notify_landed(const PendingCopy& copy, uint32_t mask) {
  LandedCopy& last = landed_[context_.program.ops[copy.instruction].detail];
  if (copy.pattern != 0 && copy.pattern == last.pattern) {
    Access& access = last.access;
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    access.first = copy.destination(lane);
    access.base = access.first - static_cast<uint64_t>(access.stride) * lane;
    access.addresses = copy.scattered.data();  // unused when its shape is strided
    access.block = access.owner = context_.block->linear;
    access.warp = context_.warp->index;
    return context_.observer->access(access);
  }
  Addresses destination;
  for (size_t lane = 0; lane < kLanes; ++lane)
    destination.lanes[lane] = mask >> lane & 1 ? copy.destination(lane) : 0;
  context_.loops.summarize64(destination.lanes, 0, mask, destination.summary, destination.lanes);
  caches_.observe(AccessKind::store, MemorySpace::shared, destination, mask, copy.bytes,
                  copy.instruction);
  last.pattern = copy.pattern;
  last.access = caches_.observed();
  last.access.repeats = true;
}

}  // namespace ridge::machine
