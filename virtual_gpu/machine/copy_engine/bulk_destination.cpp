// The destination of a copy to shared memory, and the mbarrier that counts its bytes.
#include <fmt/format.h>

#include <bit>

#include "virtual_gpu/machine/copy_engine/copy_engine.h"

namespace ridge::machine {

// `destination` and `mbarrier` are shared addresses, with or without the rank of another block of
// the cluster. A multicast goes to the same offsets in each block of its mask.
void CopyEngine::issue_to_blocks(const BulkOp& op, BulkCopy&& copy, uint64_t destination,
                                 uint64_t mbarrier, int lane) {
  copy.destination = static_cast<uint32_t>(destination & kSharedOffsetMask);
  copy.mbarrier = static_cast<uint32_t>(mbarrier & kSharedOffsetMask);
  if (!op.multicast) {
    Block& owner = spaces_.owner_of(destination, AccessKind::store, lane);
    const Block& counts = spaces_.owner_of(mbarrier, AccessKind::atomic, lane);
    if (&owner != &counts) {
      bulk_fault(
          Fault::Kind::barrier, lane,
          fmt::format(
              "Mbarrier: \x01 copies to the shared memory of the block with rank {}, and names "
              "an mbarrier of the block with rank {}",
              owner.rank, counts.rank),
          "map the destination and its mbarrier to the same block");
    }
    mbarriers_.notify_mbarrier({&owner, copy.mbarrier}, 1u << lane, false);
    copy.phase = mbarriers_.mbarrier_phase({&owner, copy.mbarrier}).phase;
    owner.bulk.arriving.push_back(std::move(copy));
    notify_bulk_begins(owner.bulk.arriving.back(), AccessKind::store, owner,
                       owner.bulk.arriving.back().destination);
    return;
  }
  const uint32_t blocks = context_.row<uint32_t>(op.blocks)[lane] & 0xffffu;
  if (const uint32_t beyond = blocks >> context_.launch.cluster_blocks
                                            << context_.launch.cluster_blocks;
      beyond != 0) {
    bulk_fault(
        Fault::Kind::out_of_bounds, lane,
        fmt::format(
            "Out of bounds: \x01 multicasts to the blocks of mask {:#x}, and its cluster has {} "
            "block{}: none with rank {}",
            blocks, context_.launch.cluster_blocks, context_.launch.cluster_blocks == 1 ? "" : "s",
            std::countr_zero(beyond)),
        "set only bits below the number of blocks of the cluster, and launch with that cluster");
  }
  for (uint32_t rest = blocks; rest != 0; rest &= rest - 1) {
    const auto rank = static_cast<uint64_t>(std::countr_zero(rest));
    Block& owner = spaces_.owner_of((rank + 1) << kSharedRankShift | copy.destination,
                                    AccessKind::store, lane);
    mbarriers_.notify_mbarrier({&owner, copy.mbarrier}, 1u << lane, false);
    copy.phase = mbarriers_.mbarrier_phase({&owner, copy.mbarrier}).phase;
    owner.bulk.arriving.push_back(copy);
    notify_bulk_begins(copy, AccessKind::store, owner, copy.destination);
    copy.has_source = false;  // a multicast reads global memory once
  }
}

void CopyEngine::complete_bytes(Block& block, const BulkCopy& copy) {
  const MbarrierPlace place{&block, copy.mbarrier};
  if (context_.observer != nullptr) {
    context_.observer->released(copy.issuer, copy.warp, 1u << copy.lane,
                                {SyncPlace::Kind::mbarrier, block.linear, copy.mbarrier,
                                 mbarriers_.mbarrier_phase(place).phase});
  }
  mbarriers_.note_landing(place, copy.phase, copy.bytes);
  mbarriers_.complete_transaction(place, copy.bytes,
                                  {copy.source_block, copy.warp, copy.lane, copy.instruction});
}

}  // namespace ridge::machine
