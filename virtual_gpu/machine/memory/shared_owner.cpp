// Distributed shared memory: an address with a rank refers to the shared memory of another block of
// the cluster.
#include "virtual_gpu/machine/memory/shared_owner.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/memory/atomic_unit.h"

namespace ridge::machine {

// The block whose shared memory contains the address (an offset with or without a rank).
Block& AddressSpaces::owner_of(uint64_t shared_address, AccessKind kind, int lane) const {
  const uint64_t named = shared_address >> kSharedRankShift;
  if (named == 0 || named == uint64_t{context_.block->rank} + 1) return *context_.block;
  const char* verb = kind == AccessKind::load    ? "reads"
                     : kind == AccessKind::store ? "writes"
                                                 : "updates";
  if (named > context_.launch.cluster_blocks) {
    if (context_.launch.cluster_blocks > 1 && named <= kSharedWindowBytes >> kSharedRankShift) {
      const uint64_t rank = named > kLargestRank ? context_.rank_beyond : named - 1;
      context_.fault(
          Fault::Kind::out_of_bounds, context_.culprit(lane),
          fmt::format(
              "Out of bounds: \x01 {} the shared memory of the block with rank {} in a cluster of {}",
              verb, rank, context_.launch.cluster_blocks),
          fmt::format("give map_shared_rank (mapa) a rank from 0 to {}, the rank of a block in its cluster",
                      context_.launch.cluster_blocks - 1),
          {"cluster_rank",
           {{"verb", verb},
            {"rank", std::to_string(rank)},
            {"blocks", std::to_string(context_.launch.cluster_blocks)}}});
    }
    const BadAccess bad{kind, AccessSpace::shared,          shared_address,
                        1,    context_.launch.shared_bytes, {}};
    const FaultText text = out_of_bounds_text(bad);
    context_.fault(Fault::Kind::out_of_bounds, context_.culprit(lane), text.what, text.advice, text.cause);
  }
  Block& owner = *context_.block->cluster->blocks[named - 1];
  if (owner.live_threads == 0) {
    context_.fault(
        Fault::Kind::out_of_bounds, context_.culprit(lane),
        fmt::format(
            "Out of bounds: \x01 {} the shared memory of block {} (rank {} of its cluster), whose "
            "threads have all ended: its shared memory is gone",
            verb, dim_text(owner.index), owner.rank),
        "let no block of a cluster leave while others use its shared memory: end the kernel with "
        "cluster.sync()",
        {"cluster_block_ended", {{"rank", std::to_string(owner.rank)}}});
  }
  return owner;
}

// getctarank
void AtomicUnit::rank_of_address(const MicroOp& op, uint32_t mask) const {
  const bool wide = (op.detail & 1) != 0, generic = (op.detail & 2) != 0;
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    uint64_t address = wide ? context_.row<uint64_t>(op.operands.a)[lane]
                            : context_.row<uint32_t>(op.operands.a)[lane];
    if (generic) address -= address_windows().shared;
    const uint64_t named = address >> kSharedRankShift;
    context_.row<uint32_t>(op.operands.dst)[lane] =
        named == 0 ? context_.block->rank : static_cast<uint32_t>(named - 1);
  }
}

// st.async, red.async: the value is in flight until a thread queries the mbarrier that counts it.
void AtomicUnit::store_async(const MicroOp& op, uint32_t mask) {
  const AsyncStoreOp& store = context_.program.async_stores[op.detail];
  const MemoryOp& place = store.value.place;
  Addresses addresses, objects;
  spaces_.find_addresses(place, mask, addresses);
  spaces_.find_addresses(store.mbarrier, mask, objects);
  const AccessKind kind = store.reduces ? AccessKind::reduction : AccessKind::store;
  const Addresses all = addresses;
  spaces_.for_each_owner(addresses, mask, kind, [&](Addresses& part, uint32_t lanes) {
    spaces_.check(place, kind, MemorySpace::shared, part, lanes, place.access_bytes);
  });
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Block& owner = spaces_.owner_of(all.of(lane), kind, lane);
    const MbarrierPlace object =
        mbarriers_.mbarrier_place(store.mbarrier, objects, lane, AccessKind::atomic);
    if (object.block != &owner) {
      context_.fault(
          Fault::Kind::barrier, context_.culprit(lane),
          fmt::format(
              "Mbarrier: \x01 stores to the shared memory of the block with rank {}, and names an "
              "mbarrier of the block with rank {}",
              owner.rank, object.block->rank),
          "map the data and its mbarrier to the same block", {"mbarrier_other_block", {}});
    }
    PendingStore pending;
    pending.op = op.detail;
    pending.offset = static_cast<uint32_t>(all.of(lane) & kSharedOffsetMask);
    pending.mbarrier = object.offset;
    pending.from_block = context_.block->linear;
    pending.from_warp = context_.warp->index;
    pending.lane = static_cast<uint32_t>(lane);
    pending.instruction = context_.pc;
    for (uint32_t k = 0; k < place.count; ++k) {
      std::memcpy(
          pending.data.data() + k * place.element_bytes,
          context_.registers + store.value.a[k] + static_cast<size_t>(lane) * place.register_bytes,
          place.element_bytes);
    }
    owner.stores.push_back(pending);
  }
  context_.made_progress = true;
}

void AtomicUnit::land_stores(Block& owner, uint32_t mbarrier) {
  std::vector<PendingStore> here;
  std::erase_if(owner.stores, [&](const PendingStore& store) {
    if (store.mbarrier != mbarrier) return false;
    here.push_back(store);
    return true;
  });
  for (const PendingStore& store : here) {
    const AsyncStoreOp& op = context_.program.async_stores[store.op];
    const uint32_t bytes = op.value.place.access_bytes;
    const uint32_t lane = 1u << store.lane;
    if (context_.observer != nullptr) {
      const BulkAccess::Run run{store.offset, bytes};
      context_.observer->bulk_access({store.instruction, AccessSpace::shared,
                                      op.reduces ? AccessKind::reduction : AccessKind::store,
                                      store.from_block, store.from_warp, lane, owner.linear,
                                      std::span(&run, 1)});
    }
    std::byte* at = owner.shared.get() + store.offset;
    if (op.reduces)
      reduce_at(op.value, at, store.data.data());
    else
      std::memcpy(at, store.data.data(), bytes);
    const MbarrierPlace place{&owner, mbarrier};
    if (context_.observer != nullptr)
      context_.observer->released(store.from_block, store.from_warp, lane,
                                  {SyncPlace::Kind::mbarrier, owner.linear, mbarrier,
                                   mbarriers_.mbarrier_phase(place).phase});
    const Block* from = &owner;
    for (const auto& block : owner.cluster->blocks) {
      if (block->linear == store.from_block) from = block.get();
    }
    mbarriers_.complete_transaction(place, bytes,
                                    {from, store.from_warp, store.lane, store.instruction});
  }
}

}  // namespace ridge::machine
