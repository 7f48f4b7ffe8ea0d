// barrier.cluster.arrive and .wait: one barrier for all threads of a cluster that have not exited.
// A thread arrives, may do other work, and waits; the phase completes when all have arrived.
#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/barriers/block_barriers.h"
#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/faults/fault_text.h"

namespace ridge::machine {
namespace {

constexpr const char* kPairAdvice =
    "let every thread of the cluster call cluster.sync(), or barrier_arrive() and then barrier_wait(), "
    "equally "
    "often";

SyncPlace sync_place(const Cluster& cluster, bool orders) {
  return {orders ? SyncPlace::Kind::cluster_barrier : SyncPlace::Kind::cluster_relaxed,
          cluster.blocks.front()->linear, 0, cluster.barrier_phase};
}

}  // namespace

void BlockBarriers::cluster_arrive(const MicroOp& op, uint32_t mask) {
  Cluster& cluster = *context_.block->cluster;
  if (const uint32_t twice = mask & context_.warp->cluster_open; twice != 0) {
    context_.fault(
        Fault::Kind::barrier, context_.culprit(std::countr_zero(twice)),
        "Barrier: \x01 arrives at the cluster's barrier for the second time without having waited for the "
        "first",
        kPairAdvice, {"cluster_unpaired", {}});
  }
  const ClusterBarrierOp& detail = context_.program.cluster_barriers[op.detail];
  if (context_.warp->cluster_arrived == 0) {
    context_.warp->cluster_pc = context_.pc;
  } else if (detail.aligned && context_.warp->cluster_pc != context_.pc) {
    context_.fault(
        Fault::Kind::barrier, context_.culprit(std::countr_zero(mask)),
        fmt::format(
            "Barrier: lanes of one warp arrive at the cluster's barrier in two places. \x01 is at {}, "
            "other lanes of its warp are at {}",
            place_text(context_.program.sources[context_.pc]),
            place_text(context_.program.sources[context_.warp->cluster_pc])),
        "let all threads of a warp reach the same cluster.sync(): move it out of the if or the loop",
        {"cluster_barrier_missed", {}});
  }
  if (context_.observer != nullptr)
    context_.observer->released(context_.block->linear, context_.warp->index, mask,
                                sync_place(cluster, detail.orders));
  notify_step(context_.observer,
              {AsyncStep::Kind::arrive, context_.block->linear, context_.warp->index, mask,
               context_.pc, 0, sync_place(cluster, detail.orders)});
  context_.warp->cluster_open |= mask;
  context_.warp->cluster_arrived |= mask;
  cluster.arrived_threads += static_cast<uint32_t>(std::popcount(mask));
  context_.made_progress = true;
  try_complete_cluster();
}

// cluster_arrived counts the lanes whose phase is open.
Next BlockBarriers::cluster_wait(Split& split, const MicroOp& op) {
  if (const uint32_t unpaired = split.mask & ~context_.warp->cluster_open; unpaired != 0) {
    context_.fault(Fault::Kind::barrier, context_.culprit(std::countr_zero(unpaired)),
                   "Barrier: \x01 waits at the cluster's barrier without having arrived at it",
                   kPairAdvice, {"cluster_unpaired", {}});
  }
  const uint32_t open = split.mask & context_.warp->cluster_arrived;
  if (open != 0 && open != split.mask) {
    Split& rest = context_.add_split(split, split.pc, open);
    rest.wait = Wait::cluster_barrier;
    split.mask &= ~open;
  } else if (open != 0) {
    split.wait = Wait::cluster_barrier;
    return Next::reschedule;
  }
  context_.warp->cluster_open &= ~split.mask;
  if (context_.observer != nullptr) {
    SyncPlace place =
        sync_place(*context_.block->cluster, context_.program.cluster_barriers[op.detail].orders);
    --place.phase;
    context_.observer->acquired(context_.block->linear, context_.warp->index, split.mask, place);
    notify_step(context_.observer, {AsyncStep::Kind::waited, context_.block->linear,
                                    context_.warp->index, split.mask, context_.pc, 0, place});
  }
  split.pc = context_.pc + 1;
  return Next::proceed;
}

// Unparks the waiting splits; each executes its wait again and finds the phase complete.
void BlockBarriers::try_complete_cluster() {
  Cluster& cluster = *context_.block->cluster;
  if (cluster.arrived_threads == 0 || cluster.arrived_threads != cluster.live_threads) return;
  ++cluster.barrier_phase;
  cluster.arrived_threads = 0;
  context_.made_progress = true;
  for (const auto& block : cluster.blocks) {
    for (Warp& warp : block->warps) {
      warp.cluster_arrived = 0;
      for (uint32_t i = 0; i < warp.split_count; ++i) {
        if (warp.splits[i].wait == Wait::cluster_barrier) warp.splits[i].wait = Wait::none;
      }
    }
  }
}

}  // namespace ridge::machine
