// What observers hear of synchronisation that has no unit of its own: *.sync, fences, cp.async groups.
#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

// The lanes of `mask` met at a *.sync: each sees what the others did before.
void Core::tell_synced(uint32_t mask) {
  const SyncPlace place{SyncPlace::Kind::warp, block_->linear, warp_->index, warp_->syncs++};
  observer_->released(block_->linear, warp_->index, mask, place);
  observer_->acquired(block_->linear, warp_->index, mask, place);
}

void Core::tell_fence(const MicroOp& op, uint32_t mask) {
  observer_->fence(block_->linear, warp_->index, mask, static_cast<Scope>(op.detail), op.target == 1);
  tell_step(observer_, {AsyncStep::Kind::fence, block_->linear, warp_->index, mask, pc_});
}

// Lane by lane, the groups [first, last) were closed (release) or have landed (acquire).
void Core::tell_groups(uint32_t mask, const std::array<uint32_t, kLanes>& first,
                       const std::array<uint32_t, kLanes>& last, bool release) {
  while (mask != 0) {
    const auto leader = static_cast<size_t>(std::countr_zero(mask));
    uint32_t alike = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (first[lane] == first[leader] && last[lane] == last[leader]) alike |= 1u << lane;
    }
    mask &= ~alike;
    for (uint32_t group = first[leader]; group < last[leader]; ++group) {
      const SyncPlace place{SyncPlace::Kind::bulk_group, block_->linear, warp_->index, group};
      if (release)
        observer_->released(block_->linear, warp_->index, alike, place);
      else
        observer_->acquired(block_->linear, warp_->index, alike, place);
    }
  }
}

}  // namespace ridge::machine
