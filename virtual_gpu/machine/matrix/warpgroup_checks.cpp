// What wgmma asks of the threads around it: a fence before it, and all four warps.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "virtual_gpu/machine/async_step.h"
#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/matrix/warpgroup_queue.h"

namespace ridge::machine {
namespace {

constexpr size_t kGroupWarps = 4;

}  // namespace

void Core::fence_warpgroup() {
  if (!warp_->warpgroup) warp_->warpgroup = std::make_shared<WarpgroupQueue>();
  warp_->warpgroup->has_fenced = true;
  tell_step(observer_, {AsyncStep::Kind::fence, block_->linear, warp_->index, kAllLanes, pc_});
  for (WarpgroupQueue::Set& set : warp_->warpgroup->sets)
    set.delivered = nullptr;
}

// Before a product: some fence came before, and accumulators that the thread has changed since the last wait
// were fenced since. What was changed is seen by comparing with what was delivered.
void Core::check_warpgroup_fence(const MatrixOp& op) const {
  const WarpgroupQueue& queue = *warp_->warpgroup;
  const char* const advice =
      "put wgmma.fence.sync.aligned (warpgroup_arrive in CUTLASS) between the last time the threads touch "
      "the "
      "registers and the first wgmma that uses them";
  if (!queue.has_fenced) {
    fault(Fault::Kind::race, culprit(0),
          "Race: \x01 executes wgmma without any wgmma.fence before it: the tensor cores may read the "
          "registers "
          "before the thread has written them",
          advice);
  }
  const uint32_t scale = *row<uint32_t>(op.scale_d);
  if (op.at_once || !((op.scale_d_negated ? ~scale : scale) & 1u)) return;
  for (const WarpgroupQueue::Set& set : queue.sets) {
    if (set.delivered == nullptr || set.type == AccumulatorType::f16 || set.frame != frame_ ||
        set.delivered->d_rows != op.d_rows)
      continue;
    const auto* const values = reinterpret_cast<const float*>(set.values.get());
    for (size_t word = 0; word < op.d_rows.size(); ++word) {
      const auto* const now = row<uint32_t>(op.d_rows[word]);
      const auto* const then = reinterpret_cast<const uint32_t*>(values + word * kLanes);
      const auto* const changed = std::mismatch(now, now + kLanes, then).first;
      if (changed == now + kLanes) continue;
      fault(Fault::Kind::race, culprit(static_cast<int>(changed - now)),
            fmt::format("Race: \x01 has changed register {} of the accumulators since wgmma.wait_group, and "
                        "executes the next wgmma on them without wgmma.fence between the two",
                        word),
            advice);
    }
  }
}

// When the block has ended: all four warps of a warpgroup executed the same number of products.
void Core::compare_warpgroups(const Block& block) const {
  for (size_t first = 0; first < block.warps.size(); first += kGroupWarps) {
    const size_t end = std::min(first + kGroupWarps, block.warps.size());
    const auto issued = [&](size_t warp) {
      return block.warps[warp].warpgroup ? block.warps[warp].warpgroup->issued : 0;
    };
    size_t most = first, least = first;
    for (size_t warp = first; warp < end; ++warp) {
      if (issued(warp) > issued(most)) most = warp;
      if (issued(warp) < issued(least)) least = warp;
    }
    if (issued(most) == 0) continue;
    const Culprit who{&block, static_cast<uint32_t>(most), 0, block.warps[most].warpgroup->last_pc};
    const char* const advice =
        "wgmma belongs to a whole warpgroup, four warps whose first is a multiple of four: let all 128 "
        "threads "
        "reach it, and divide work between warpgroups (threadIdx.x / 128), not warps";
    if (end - first < kGroupWarps) {
      fault(
          Fault::Kind::barrier, who,
          fmt::format("Barrier: \x01 executes wgmma, and its warpgroup has only {} of four warps: the block "
                      "has {} threads",
                      end - first, launch_.threads),
          advice);
    }
    if (issued(least) == issued(most)) continue;
    fault(Fault::Kind::barrier, who,
          fmt::format(
              "Barrier: \x01 executes wgmma {} time{} in all, and warp {} of its warpgroup (threads {} to "
              "{}) {}",
              issued(most), issued(most) == 1 ? "" : "s", least, least * kLanes, least * kLanes + kLanes - 1,
              issued(least) == 0 ? std::string("never") : fmt::format("only {}", issued(least))),
          advice);
  }
}

}  // namespace ridge::machine
