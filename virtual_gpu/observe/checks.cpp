// The checks at the beginning and end of blocks, and at synchronisation.
#include "virtual_gpu/observe/checks.h"

#include <bit>

#include "virtual_gpu/observe/check_text.h"
#include "virtual_gpu/observe/checker.h"
#include "virtual_gpu/observe/races/cluster_text.h"

namespace ridge::observe {

using machine::Access;
using machine::SyncPlace;

void Checker::block_begin(uint64_t block) {
  // Atomics and other blocks of a cluster may examine the readers of words at any time.
  const bool may_log = !launch_.updates_shared && !checks_cluster();
  std::unique_ptr<BlockState> state;
  if (spare_.empty()) {
    state = std::make_unique<BlockState>(may_log ? &patterns_ : nullptr);
  } else {
    state = std::move(spare_.back());
    spare_.pop_back();
  }
  state->linear = block;
  state->shared.begin(launch_.shared_bytes, (launch_.threads + 31) / 32, launch_.options.race,
                      launch_.options.uninitialised);
  state->local.begin((launch_.threads + 31) / 32);
  state->taint.begin((launch_.threads + 31) / 32);
  if (taint_.has_unset_registers()) machine_->step_block();
  if (!launch_.program->maskable_reads.empty()) state->deferred.begin((launch_.threads + 31) / 32);
  state->proxy_fence = state->shared.clock().now() - 1;  // ignore writes of earlier blocks
  state->compares_threads = true;
  state->vector_clock = BlockVectorClock();
  state->vector_clock.block = block;
  state->peers.begin(block, state->shared.clock().now());
  state->mbarriers.clear();
  state->products.clear();
  current_ = state.get();
  blocks_[block] = std::move(state);
}

void Checker::block_end(uint64_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  if (found->second->taint.use) throw machine::ObservedFault(*found->second->taint.use);
  if (const auto* suspicion = found->second->shared.suspicion();
      suspicion != nullptr && suspicion->site < launch_.site_instructions.size()) {
    Access read;
    read.bytes = 4;
    read.block = block;
    read.instruction = launch_.site_instructions[suspicion->site];
    report_shared_race(launch_, read, suspicion->race);
  }
  if (checks_cluster()) {
    const ClusterSide& side = found->second->peers;
    if (const auto* peer = cluster_.end(side, found->second->shared.advance_clock().publish()))
      report_early_end(launch_, side, *peer);
  }
  spare_.push_back(std::move(found->second));
  blocks_.erase(found);
  current_ = nullptr;
  if (blocks_.empty()) cluster_.forget();
}

void Checker::released(uint64_t block, uint32_t warp, uint32_t, const SyncPlace& place) {
  if (!orders_threads(place) && place.kind != SyncPlace::Kind::cluster_relaxed) return;
  BlockState* found = state(block);
  if (found == nullptr) return;
  settle_flags(*found);
  // Other blocks synchronise at the cluster's barrier, and at their own mbarriers.
  if (checks_cluster() && is_seen_by_other_blocks(place, block))
    cluster_.released(found->peers, found->shared.advance_clock(), place);
  if (place.kind == SyncPlace::Kind::cluster_relaxed) return;
  found->shared.released(warp, place);
  if (place.kind == SyncPlace::Kind::cluster_barrier) found->mbarriers.released_to_cluster(warp);
  if (shadow_ == nullptr || place.kind != SyncPlace::Kind::cluster_barrier) return;
  ++found->vector_clock.fences;
  shadow_->messages.publish(found->vector_clock, cluster_key(place));
}

void Checker::acquired(uint64_t block, uint32_t warp, uint32_t mask, const SyncPlace& place) {
  BlockState* found = state(block);
  if (found == nullptr) return;
  settle_flags(*found);
  if (checks_cluster() && orders_blocks(place)) cluster_.acquired(found->peers, place);
  if (place.kind == SyncPlace::Kind::cluster_relaxed || place.kind == SyncPlace::Kind::cluster_barrier)
    found->mbarriers.synchronized(warp);
  if (place.kind == SyncPlace::Kind::warp)
    found->shared.warp_synchronized(warp, mask, lanes_of(warp));
  else if (orders_threads(place))
    found->shared.acquired(warp, mask, place);
  if (place.kind == SyncPlace::Kind::mbarrier && place.block == block && launch_.follows_landings)
    found->shared.landings().acquired(warp, place.id, place.phase, found->shared.advance_clock().stamp(warp));
  if (shadow_ != nullptr && place.kind == SyncPlace::Kind::cluster_barrier) {
    shadow_->messages.read(found->vector_clock, cluster_key(place));
    shadow_->messages.settle(found->vector_clock);
  }
}

void Checker::mbarrier(uint64_t block, uint32_t warp, uint32_t mask, uint32_t instruction, uint64_t owner,
                       uint64_t offset, bool initialises) {
  BlockState* const of = launch_.options.race ? state(owner) : nullptr;
  if (of == nullptr) return;
  BlockClock& clock = of->shared.advance_clock();
  if (initialises) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    of->mbarriers.note({offset, warp * 32 + lane, clock.stamp(warp), launch_.sites[instruction], 0, false, false});
    return;
  }
  MbarrierStart* const start = of->mbarriers.find(offset);
  if (start == nullptr) return;
  int early = -1;
  if (block == owner)
    early = MbarrierStarts::early_lane(*start, clock, warp, mask);
  else if (BlockState* const from = state(block); from->peers.clock_of(owner) < start->stamp)
    early = std::countr_zero(mask);
  else
    ClusterShadow::record_peer(
        {block, from->shared.advance_clock().stamp(warp), offset,
         warp * 32 + static_cast<uint32_t>(std::countr_zero(mask)), launch_.sites[instruction], true, true},
        of->peers);
  if (early >= 0)
    report_early_mbarrier(launch_, {block, owner, offset, instruction, warp, static_cast<uint32_t>(early)},
                          *start);
  // Where the toolkit's own headers omit the fence, users of those headers are not asked for one.
  const bool by_copy = launch_.program->ops[instruction].kind == machine::OpKind::bulk_copy;
  const bool needs_fence = by_copy || (block != owner && !start->is_released);
  if (needs_fence && !start->is_fenced && !launch_.program->sources[instruction].is_library)
    report_unfenced_mbarrier(
        launch_,
        {block, owner, offset, instruction, warp, static_cast<uint32_t>(std::countr_zero(mask))}, *start, by_copy);
}

void Checker::warp_barrier(uint64_t block, uint32_t warp, uint32_t, uint32_t mask) {
  BlockState* found = state(block);
  if (found == nullptr) return;
  settle_flags(*found);
  found->shared.warp_synchronized(warp, mask, lanes_of(warp));
}

void Checker::fence(uint64_t block, uint32_t warp, uint32_t, machine::Scope scope, bool proxy_async) {
  BlockState* found = state(block);
  if (found == nullptr) return;
  settle_flags(*found);
  if (proxy_async || scope != machine::Scope::block) found->mbarriers.fenced(warp);
  // A write with the same stamp after the fence also counts as covered.
  if (proxy_async) found->proxy_fence = found->shared.clock().now();
  if (scope != machine::Scope::block && (scope != machine::Scope::cluster || launch_.has_clusters))
    ++found->vector_clock.fences;
}

Checks::Checks(CheckOptions options, const machine::LaunchConfig& config, machine::DeviceMemory& memory)
    : launch_{options, config, memory, nullptr, 0, 0, false, false, false, false, false, {}, {}, {}} {}

Checks::~Checks() = default;

std::unique_ptr<machine::Observer> Checks::make(const machine::Program& program) {
  if (launch_.program != &program) {
    launch_.program = &program;
    const machine::Dim3& block = launch_.config.block;
    launch_.threads = block.x * block.y * block.z;
    launch_.shared_bytes = program.info.static_shared_bytes + launch_.config.dynamic_shared_bytes;
    number_sites(launch_);
    if (launch_.options.race) global_ = std::make_unique<GlobalShadow>(launch_);
  }
  return std::make_unique<Checker>(launch_, global_.get());
}

void Checks::collect(std::unique_ptr<machine::Observer> observer) {
  const auto& race = static_cast<const Checker&>(*observer).race();
  if (race && (race_ == nullptr || race->before(*race_))) race_ = std::make_unique<GlobalRace>(*race);
  for (auto& [serial, found] : static_cast<Checker&>(*observer).deferred()) {
    const auto [known, is_new] = deferred_.try_emplace(serial, found);
    if (!is_new && found.found.block < known->second.found.block) known->second = found;
  }
}

std::optional<machine::ObserverFactory::LateFault> Checks::verdict() {
  if (const auto race = global_ == nullptr ? std::nullopt : global_->read_beside_atomics();
      race && (race_ == nullptr || race->before(*race_)))
    race_ = std::make_unique<GlobalRace>(*race);
  if (race_ == nullptr) return std::nullopt;
  return LateFault{global_race_fault(launch_, *race_), race_->high_block};
}

std::vector<machine::ObserverFactory::DeferredFault> Checks::deferred() {
  std::vector<DeferredFault> all;
  for (auto& [serial, found] : deferred_)
    all.push_back(std::move(found));
  return all;
}

}  // namespace ridge::observe
