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
  destination.strip_own_rank();
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
  for (; mask != 0; mask &= mask - 1)
    ++warp_->committed_groups[static_cast<size_t>(std::countr_zero(mask))];
}

// wait_group N: all but the lane's newest N groups have arrived; what was never committed has not. wait_all:
// everything.
void Core::async_wait(const MicroOp& op, uint32_t mask) {
  auto& copies = warp_->copies;
  const bool everything = op.target == 1;
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
