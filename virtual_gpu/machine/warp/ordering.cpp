// The events of synchronisation without a unit of its own: *.sync and fences.
#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

// The lanes of `mask` synchronised at a *.sync: each sees what the others did before.
void Core::notify_synced(uint32_t mask) {
  const SyncPlace place{SyncPlace::Kind::warp, context_.block->linear, context_.warp->index,
                        context_.warp->syncs++};
  context_.observer->released(context_.block->linear, context_.warp->index, mask, place);
  context_.observer->acquired(context_.block->linear, context_.warp->index, mask, place);
}

void Core::notify_fence(const MicroOp& op, uint32_t mask) {
  context_.observer->fence(context_.block->linear, context_.warp->index, mask,
                           static_cast<Scope>(op.detail), op.target == 1);
  notify_step(context_.observer, {AsyncStep::Kind::fence, context_.block->linear,
                                  context_.warp->index, mask, context_.pc});
}

// Lane by lane, the groups [first, last) were committed (release) or completed (acquire).

}  // namespace ridge::machine
