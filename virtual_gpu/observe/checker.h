// The observer for one host thread of a launch, with the state of the blocks that run there.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/races/cluster_shadow.h"
#include "virtual_gpu/observe/races/deferred_reads.h"
#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/races/global_shadow.h"
#include "virtual_gpu/observe/races/mbarrier_starts.h"
#include "virtual_gpu/observe/copies/product_reads.h"
#include "virtual_gpu/observe/counts/read_patterns.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"
#include "virtual_gpu/observe/uninitialised/taint_tracker.h"
#include "virtual_gpu/observe/uninitialised/written_check.h"

namespace ridge::observe {

struct BlockState {
  explicit BlockState(const AccessPatterns* logged) : shared(logged) {}
  uint64_t linear = ~0ull;
  SharedShadow shared;
  LocalWritten local;
  BlockTaint taint;
  DeferredReads deferred;
  uint32_t proxy_fence = 0;  // time stamp of the block's last fence.proxy.async
  bool compares_threads = true;
  BlockVectorClock vector_clock;
  ClusterSide peers;  // used in clusters when races are checked
  MbarrierStarts mbarriers;
  ProductReads products;
};

class Checker final : public SelectiveObserver {
 public:
  Checker(const CheckedLaunch& launch, GlobalShadow* shadow)
      : launch_(launch),
        global_(launch.memory, launch.program->ops.size()),
        shadow_(shadow != nullptr && shadow->has_regions() ? shadow : nullptr),
        unchecked_(shadow_ != nullptr ? launch.program->ops.size() : 0),
        patterns_(launch.program->ops.size()),
        taint_(launch) {}

  const std::optional<GlobalRace>& race() const { return race_; }
  const TaintTracker::Deferred& deferred() const { return taint_.deferred(); }

  void attach(machine::MachineView& machine) override {
    machine_ = &machine;
    taint_.attach(machine);
  }

  void block_begin(uint64_t block) override;
  void block_end(uint64_t block) override;
  void access(const machine::Access& access) override;

  // Elides loads from global memory while they read initialised bytes that nobody writes in this
  // launch, and loads from shared memory that may be recorded in the block's log.
  bool may_elide(const machine::Access& access, ElisionTerms& terms) override;
  machine::ReadLog* read_log(uint64_t block) override {
    BlockState* const found = state(block);
    return found == nullptr ? nullptr : &found->shared.log();
  }
  bool subscribes_to(machine::AccessSpace space) const override {
    return space == machine::AccessSpace::global || space == machine::AccessSpace::shared ||
           space == machine::AccessSpace::local;
  }

  void before_instruction(const machine::SteppedInstruction& step) override;
  void absent_shuffle(const machine::AbsentShuffle& shuffle) override {
    BlockState* const found = launch_.options.uninitialised ? state(shuffle.block) : nullptr;
    if (found != nullptr) taint_.shuffled(found->taint, shuffle);
  }
  std::optional<machine::ObservedFault> likely_cause(uint64_t block) override {
    const BlockState* const found = state(block);
    return found == nullptr ? std::nullopt : found->taint.use;
  }
  void bulk_access(const machine::BulkAccess& access) override;
  void async_copy_begins(const machine::Access& access) override;
  void bulk_begins(const machine::BulkAccess& access) override;
  void product(const machine::Product& product, bool is_made) override;
  void released(uint64_t block, uint32_t warp, uint32_t, const machine::SyncPlace& place) override;
  void acquired(uint64_t block, uint32_t warp, uint32_t mask, const machine::SyncPlace& place) override;
  void mbarrier(uint64_t block, uint32_t warp, uint32_t mask, uint32_t instruction, uint64_t owner,
                uint64_t offset, bool initialises) override;
  void warp_barrier(uint64_t block, uint32_t warp, uint32_t, uint32_t mask) override;
  void fence(uint64_t block, uint32_t warp, uint32_t, machine::Scope scope, bool proxy_async) override;

 private:
  // cp.async groups and bulk groups order a thread only with its own copies.
  static bool orders_threads(const machine::SyncPlace& place) {
    return place.kind != machine::SyncPlace::Kind::bulk_group &&
           place.kind != machine::SyncPlace::Kind::warp &&
           place.kind != machine::SyncPlace::Kind::cluster_relaxed;
  }

  bool checks_cluster() const { return launch_.has_clusters && launch_.options.race; }
  static bool orders_blocks(const machine::SyncPlace& place) {
    return place.kind == machine::SyncPlace::Kind::cluster_barrier ||
           place.kind == machine::SyncPlace::Kind::cluster_relaxed ||
           place.kind == machine::SyncPlace::Kind::mbarrier;
  }

  static bool is_seen_by_other_blocks(const machine::SyncPlace& place, uint64_t block) {
    return orders_blocks(place) && (place.kind != machine::SyncPlace::Kind::mbarrier || place.block != block);
  }

  static uint64_t cluster_key(const machine::SyncPlace& place) {
    return place.block << 1 | 1;
  }  // addresses are never odd

  uint32_t lanes_of(uint32_t warp) const {
    const uint32_t threads = std::min(32u, launch_.threads - std::min(launch_.threads, warp * 32));
    return threads == 32 ? ~0u : (1u << threads) - 1;
  }

  BlockState* state(uint64_t block) {
    if (current_ != nullptr && current_->linear == block) return current_;
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return nullptr;
    return current_ = found->second.get();
  }

  // The values of an ordinary store; for other storing instructions they are unknown.
  StoredValues stored(const machine::Access& access) const;
  // The tainted lanes of a store, in `undefined_`.
  const UndefinedLanes& stored_undefined(const machine::Access& access);
  // Taints the registers of a load that read uninitialised bytes, as given by `undefined_`.
  void taint_loaded(const machine::Access& access) {
    if (undefined_.lanes != 0) taint_.loaded(state(access.block)->taint, access, undefined_);
  }
  bool ignores_old_value(const machine::Access& access) const;

  void global_written(const machine::Access& access);
  void global_access(const machine::Access& access);
  // A flag, a counter or a lock in global memory: merges what others published there and, if it is
  // written, publishes too.
  void publish_flag(const machine::Access& access, BlockState& block, bool reads);
  // A flag's read was reported before it was executed: at the block's next event it has been, so
  // later messages are not part of it.
  void settle_flags(BlockState& block) {
    if (shadow_ != nullptr && shadow_->messages.has_pending_reads(block.vector_clock))
      shadow_->messages.settle(block.vector_clock);
  }

  // The lane pattern of a repeated access; nullptr for other accesses.
  const AccessPattern* pattern_of(const machine::Access& access);
  // Fast path for the loads of inner loops: true when nothing must be checked.
  static bool needs_no_look(const machine::Access& access, const AccessPattern& pattern,
                            SharedShadow& shared);

  void shared_access(const machine::Access& access);
  // Defers the check of a load whose value may not matter; false: it must be checked now.
  bool defer_read(const machine::Access& access, BlockState& block);

  // Reports a copy that has just been started while another one is in flight to [begin, end) of
  // `owner`.
  void two_copies(const BlockState& owner, uint64_t block, uint32_t instruction, uint32_t warp,
                  uint64_t begin, uint64_t end) const;
  // Reports a copy to a place where an earlier copy has completed without the thread having waited
  // for it.
  void over_landed(BlockState& owner, uint64_t block, uint32_t instruction, uint32_t warp, uint64_t begin,
                   uint64_t end) const;
  // Finds a wgmma that may still read [begin, end) of `owner` when a warp of `from` writes there,
  // and the address; nullptr: the write is permitted.
  static const ProductRead* read_by_product(const BlockState& from, uint32_t warp, BlockState& owner,
                                            uint64_t begin, uint64_t end, uint64_t& at);
  void overwrites_product(const machine::Access& access, BlockState& owner);

  // Checks for races between blocks of a cluster; races inside the block are checked as in other
  // launches.
  void cluster_access(const machine::Access& access, BlockState& owner);

  // A flag or a lock in shared memory: its reader is ordered after the accesses before its write.
  // Whether there was a fence is not checked.
  void synchronize_at(const machine::Access& access, SharedShadow& shared, bool acquires);

  const CheckedLaunch& launch_;
  machine::MachineView* machine_ = nullptr;
  GlobalWritten global_;
  GlobalShadow* shadow_;
  // By instruction: a range without watched arrays.
  std::vector<machine::DeviceMemory::Range> unchecked_;
  std::optional<GlobalRace> race_;
  AccessPatterns patterns_;
  TaintTracker taint_;
  UndefinedLanes undefined_;  // of the current access
  ClusterShadow cluster_;
  BlockState* current_ = nullptr;
  std::unordered_map<uint64_t, std::unique_ptr<BlockState>> blocks_;
  std::vector<std::unique_ptr<BlockState>> spare_;
};

}  // namespace ridge::observe
