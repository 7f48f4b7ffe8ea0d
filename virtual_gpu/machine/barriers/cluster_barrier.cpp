// barrier.cluster.arrive and .wait: one barrier for all threads of a cluster that have not exited. A thread
// arrives, may do other work, and waits; the phase completes when all have arrived.
#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/copy_engine/async_step.h"
#include "virtual_gpu/machine/core.h"
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

void Core::cluster_arrive(const MicroOp& op, uint32_t mask) {
  Cluster& cluster = *block_->cluster;
  if (const uint32_t twice = mask & warp_->cluster_open; twice != 0) {
    fault(Fault::Kind::barrier, culprit(std::countr_zero(twice)),
          "Barrier: \x01 arrives at the cluster's barrier for the second time without having waited for the "
          "first",
          kPairAdvice);
  }
  const ClusterBarrierOp& detail = program_.cluster_barriers[op.detail];
  if (warp_->cluster_arrived == 0) {
    warp_->cluster_pc = pc_;
  } else if (detail.aligned && warp_->cluster_pc != pc_) {
    fault(Fault::Kind::barrier, culprit(std::countr_zero(mask)),
          fmt::format(
              "Barrier: lanes of one warp arrive at the cluster's barrier in two places. \x01 is at {}, "
              "other lanes of its warp are at {}",
              place_text(program_.sources[pc_]), place_text(program_.sources[warp_->cluster_pc])),
          "let all threads of a warp reach the same cluster.sync(): move it out of the if or the loop");
  }
  if (observer_ != nullptr)
    observer_->released(block_->linear, warp_->index, mask, sync_place(cluster, detail.orders));
  tell_step(observer_, {AsyncStep::Kind::arrive, block_->linear, warp_->index, mask, pc_, 0,
                        sync_place(cluster, detail.orders)});
  warp_->cluster_open |= mask;
  warp_->cluster_arrived |= mask;
  cluster.arrived_threads += static_cast<uint32_t>(std::popcount(mask));
  made_progress_ = true;
  try_complete_cluster();
}

// The lanes still counted in cluster_arrived are those whose phase is open.
Core::Next Core::cluster_wait(Split& split, const MicroOp& op) {
  if (const uint32_t unpaired = split.mask & ~warp_->cluster_open; unpaired != 0) {
    fault(Fault::Kind::barrier, culprit(std::countr_zero(unpaired)),
          "Barrier: \x01 waits at the cluster's barrier without having arrived at it", kPairAdvice);
  }
  const uint32_t open = split.mask & warp_->cluster_arrived;
  if (open != 0 && open != split.mask) {
    Split& rest = add_split(split, split.pc, open);
    rest.wait = Wait::cluster_barrier;
    split.mask &= ~open;
  } else if (open != 0) {
    split.wait = Wait::cluster_barrier;
    return Next::reschedule;
  }
  warp_->cluster_open &= ~split.mask;
  if (observer_ != nullptr) {
    SyncPlace place = sync_place(*block_->cluster, program_.cluster_barriers[op.detail].orders);
    --place.phase;
    observer_->acquired(block_->linear, warp_->index, split.mask, place);
    tell_step(observer_, {AsyncStep::Kind::waited, block_->linear, warp_->index, split.mask, pc_, 0, place});
  }
  split.pc = pc_ + 1;
  return Next::go_on;
}

// Those who wait are let go; each waits again, and finds its phase complete.
void Core::try_complete_cluster() {
  Cluster& cluster = *block_->cluster;
  if (cluster.arrived_threads == 0 || cluster.arrived_threads != cluster.live_threads) return;
  ++cluster.barrier_phase;
  cluster.arrived_threads = 0;
  made_progress_ = true;
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
