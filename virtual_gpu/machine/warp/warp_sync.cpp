// *.sync: lanes wait until all lanes in the mask have arrived. Exited lanes are not waited for.
#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

uint32_t Core::members_of(const Split& split, int lane) const {
  const WarpOp& op = context_.program.warp_ops[context_.program.ops[split.pc].detail];
  return reinterpret_cast<const uint32_t*>(split.frame->registers.get() + op.members)[lane];
}

// Returns true to continue. Otherwise the split is parked, or has already been released together
// with others.
bool Core::members_present(Split& split, const WarpOp& op) {
  const uint32_t* members = context_.row<uint32_t>(op.members);
  uint32_t named = 0, missing_self = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t active = split.mask >> lane & 1;
    named |= active ? members[lane] : 0;
    missing_self |= (active & ~(members[lane] >> lane)) << lane;
  }
  if (missing_self != 0 && !context_.launch.config.barrier_checks) {
    if (context_.observer != nullptr) notify_synced(split.mask);
    return true;
  }
  if (missing_self != 0) {
    const int lane = std::countr_zero(missing_self);
    context_.fault(
        Fault::Kind::barrier, context_.culprit(lane),
        fmt::format(
            "Barrier: \x01 (lane {}) executes a *_sync operation with the mask {:#010x}, which "
            "does not name lane {}",
            lane, members[lane], lane),
        "give every lane that executes it a mask with its own bit set; 0xffffffff when the whole warp "
        "takes part",
        {"warp_mask", {}});
  }
  if ((named & context_.warp->live & ~split.mask) == 0) {
    if (context_.observer != nullptr) notify_synced(split.mask);
    return true;
  }
  split.wait = Wait::warp_sync;
  join_parked(split);
  release_synced();
  return false;
}

// Lanes that wait at the same instruction are joined into one split.
void Core::join_parked(Split& split) {
  for (uint32_t i = 0; i < context_.warp->split_count; ++i) {
    Split& other = context_.warp->splits[i];
    if (&other == &split || other.wait != Wait::warp_sync || other.frame != split.frame ||
        other.pc != split.pc)
      continue;
    other.mask |= split.mask;
    remove_split(split);
    return;
  }
}

// The lanes of a parked split for which all required lanes have arrived. __syncwarp may be reached
// at different instructions; an exchange of values only at one.
uint32_t Core::satisfied_lanes(const Split& split) const {
  const bool only_waits = context_.program.ops[split.pc].kind == OpKind::warp_barrier;
  uint32_t present = split.mask;
  if (only_waits) {
    for (uint32_t i = 0; i < context_.warp->split_count; ++i) {
      const Split& other = context_.warp->splits[i];
      if (other.wait == Wait::warp_sync &&
          context_.program.ops[other.pc].kind == OpKind::warp_barrier)
        present |= other.mask;
    }
  }
  uint32_t satisfied = 0;
  for (uint32_t rest = split.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if ((members_of(split, lane) & context_.warp->live & ~present) == 0) satisfied |= 1u << lane;
  }
  return satisfied;
}

void Core::release_synced() {
  const uint32_t count = context_.warp->split_count;
  std::array<uint32_t, kLanes> satisfied{};
  for (uint32_t i = 0; i < count; ++i) {
    if (context_.warp->splits[i].wait == Wait::warp_sync)
      satisfied[i] = satisfied_lanes(context_.warp->splits[i]);
  }
  uint32_t all = 0;
  for (uint32_t i = 0; i < count; ++i)
    all |= satisfied[i];
  if (all == 0) return release_joint_vote();
  if (context_.observer != nullptr) notify_synced(all);
  for (uint32_t i = 0; i < count; ++i) {
    if (satisfied[i] == 0) continue;
    Split& split = context_.warp->splits[i];
    if (satisfied[i] != split.mask) {
      Split& rest = context_.add_split(split, split.pc, split.mask & ~satisfied[i]);
      rest.wait = Wait::warp_sync;
      split.mask = satisfied[i];
    }
    split.wait = Wait::none;
    split.sync_passed = true;
  }
}

}  // namespace ridge::machine
