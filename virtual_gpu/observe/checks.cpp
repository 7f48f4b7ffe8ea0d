#include "virtual_gpu/observe/checks.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "virtual_gpu/observe/check_text.h"
#include "virtual_gpu/observe/cluster_shadow.h"
#include "virtual_gpu/observe/cluster_text.h"
#include "virtual_gpu/observe/discerning_observer.h"
#include "virtual_gpu/observe/global_shadow.h"
#include "virtual_gpu/observe/mbarrier_starts.h"
#include "virtual_gpu/observe/read_patterns.h"
#include "virtual_gpu/observe/shared_shadow.h"
#include "virtual_gpu/observe/written_check.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessSpace;
using machine::OpKind;
using machine::SyncPlace;
using machine::UndefinedLanes;

struct BlockState {
  explicit BlockState(const AccessPatterns* logged) : shared(logged) {}
  uint64_t linear = ~0ull;
  SharedShadow shared;
  LocalWritten local;
  uint32_t proxy_fence = 0;  // stamp of the block's last fence.proxy.async
  bool compares_threads = true;
  BlockVoice voice;
  ClusterSide peers;  // in a cluster, when races are looked for
  MbarrierStarts mbarriers;
};

class Checker final : public DiscerningObserver {
 public:
  Checker(const CheckedLaunch& launch, GlobalShadow* shadow)
      : launch_(launch),
        global_(launch.memory, launch.program->ops.size()),
        shadow_(shadow != nullptr && shadow->watches_anything() ? shadow : nullptr),
        unwatched_(shadow_ != nullptr ? launch.program->ops.size() : 0),
        patterns_(launch.program->ops.size()) {}

  const std::optional<GlobalRace>& race() const { return race_; }

  void attach(machine::MachineView& machine) override { machine_ = &machine; }

  void block_begin(uint64_t block) override {
    // Atomics and other blocks of a cluster look at the readers of words whenever they like.
    const bool may_log = !launch_.updates_shared && !watches_cluster();
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
    state->proxy_fence = state->shared.clock().now() - 1;  // what blocks before it wrote does not count
    state->compares_threads = true;
    state->voice = BlockVoice();
    state->voice.block = block;
    state->peers.begin(block, state->shared.clock().now());
    state->mbarriers.clear();
    current_ = state.get();
    blocks_[block] = std::move(state);
  }

  void block_end(uint64_t block) override {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return;
    if (const auto* suspicion = found->second->shared.suspicion();
        suspicion != nullptr && suspicion->site < launch_.site_instructions.size()) {
      Access read;
      read.bytes = 4;
      read.block = block;
      read.instruction = launch_.site_instructions[suspicion->site];
      report_shared_race(launch_, read, suspicion->race);
    }
    if (watches_cluster()) {
      const ClusterSide& side = found->second->peers;
      if (const auto* peer = cluster_.end(side, found->second->shared.turn_clock().publish()))
        report_early_end(launch_, side, *peer);
    }
    spare_.push_back(std::move(found->second));
    blocks_.erase(found);
    current_ = nullptr;
    if (blocks_.empty()) cluster_.forget();
  }

  void access(const Access& access) override {
    if (access.mask == 0) return;
    switch (access.space) {
      case AccessSpace::global:
        if (watches_cluster() && access.kind != AccessKind::store && is_strong(access)) {
          if (BlockState* const block = state(access.block)) block->peers.heard_by_flags = true;
        }
        if (launch_.options.uninitialised) global_written(access);
        if (shadow_ != nullptr) global_access(access);
        return;
      case AccessSpace::shared:
        return shared_access(access);
      case AccessSpace::local:
        if (launch_.options.uninitialised) state(access.block)->local.access(access, machine_->undefined);
        return;
      default:
        return;
    }
  }

  // Loads from global memory as long as they find written bytes that nobody in this launch writes, and those
  // from shared memory that may be put down in the block's log.
  bool lets_go(const Access& access, QuietTerms& terms) override {
    if (access.space == AccessSpace::shared) {
      const AccessPattern* const pattern = patterns_.current(access.instruction);
      const BlockState* const block = state(access.block);
      if (pattern == nullptr || block == nullptr || access.owner != access.block || !block->shared.logs() ||
          pattern->span > (machine::ReadLog::kMostLines - 1) * machine::ReadLog::kLineBytes)
        return false;
      terms.pattern = pattern->id;
      return true;
    }
    if (access.space != AccessSpace::global) return false;
    if (launch_.options.uninitialised) {
      const machine::DeviceMemory::Range written = global_.all_written(access.instruction);
      terms.keep_inside(written.begin, written.end);
    }
    if (shadow_ != nullptr) {
      const machine::DeviceMemory::Range& unwatched = unwatched_[access.instruction];
      terms.keep_inside(unwatched.begin, unwatched.end);
    }
    return true;
  }
  machine::ReadLog* read_log(uint64_t block) override {
    BlockState* const found = state(block);
    return found == nullptr ? nullptr : &found->shared.log();
  }
  bool hears_of(AccessSpace space) const override {
    return space == AccessSpace::global || space == AccessSpace::shared || space == AccessSpace::local;
  }

  void bulk_access(const machine::BulkAccess& access) override {
    if (access.space == AccessSpace::global) {
      if (access.kind == AccessKind::load) return;
      for (const auto& run : access.runs)
        launch_.memory.note_written(run.begin, run.bytes);
      return;
    }
    BlockState* owner = state(access.owner);
    if (owner == nullptr) return;
    if (access.kind == AccessKind::load && owner->shared.has_copies() &&
        launch_.program->ops[access.instruction].kind == OpKind::bulk_copy) {
      for (const auto& run : access.runs)
        owner->shared.copy_left(run.begin, run.bytes);
    }
    if (access.kind == AccessKind::load && !owner->shared.any_written_after(owner->proxy_fence)) return;
    for (const auto& run : access.runs) {
      if (run.begin + run.bytes > launch_.shared_bytes) continue;
      if (access.kind != AccessKind::load) {
        owner->shared.land(run.begin, run.bytes);
        continue;
      }
      Cell writer;
      uint64_t at = 0;
      if (owner->shared.written_after(run.begin, run.bytes, owner->proxy_fence, writer, at))
        report_missing_proxy_fence(launch_, access, writer, at);
    }
  }

  void async_copy_begins(const Access& access) override {
    BlockState* const block = launch_.options.race ? state(access.block) : nullptr;
    if (block == nullptr) return;
    SharedRace race;
    if (block->shared.copies_begin(access, launch_.sites[access.instruction], race))
      report_early_copy(launch_, access.instruction, race);
  }

  void bulk_begins(const machine::BulkAccess& access) override {
    BlockState* const owner = launch_.options.race ? state(access.owner) : nullptr;
    BlockState* const from = owner == nullptr ? nullptr : state(access.block);
    if (from == nullptr) return;
    const uint32_t site = launch_.sites[access.instruction];
    const uint32_t thread = access.warp * 32 + static_cast<uint32_t>(std::countr_zero(access.mask));
    for (const auto& run : access.runs) {
      if (run.begin + run.bytes > launch_.shared_bytes) continue;
      SharedRace race;
      if (access.kind == AccessKind::load) {
        if (owner->shared.store_begins(run.begin, run.bytes, thread, race))
          report_early_copy(launch_, access.instruction, race, AccessKind::load);
        owner->shared.mark_leaving(run.begin, run.bytes, site);
        continue;
      }
      if (owner == from && owner->shared.copy_begins(run.begin, run.bytes, thread, site, race))
        report_early_copy(launch_, access.instruction, race);
      if (owner != from && watches_cluster()) {
        if (const auto early =
                ClusterShadow::copy_begins(from->peers, owner->peers, owner->shared, run.begin, run.bytes))
          report_cluster_copy(launch_, access, *early);
      }
      owner->shared.mark_arriving(run.begin, run.bytes, site);
    }
  }

  void released(uint64_t block, uint32_t warp, uint32_t, const SyncPlace& place) override {
    if (!orders_threads(place) && place.kind != SyncPlace::Kind::cluster_relaxed) return;
    BlockState* found = state(block);
    if (found == nullptr) return;
    // Other blocks hear at the cluster's barrier, and at their own mbarriers.
    if (watches_cluster() && is_heard_by_others(place, block))
      cluster_.released(found->peers, found->shared.turn_clock(), place);
    if (place.kind == SyncPlace::Kind::cluster_relaxed) return;
    found->shared.released(warp, place);
    if (shadow_ == nullptr || place.kind != SyncPlace::Kind::cluster_barrier) return;
    ++found->voice.fences;
    shadow_->messages.publish(found->voice, cluster_key(place));
  }
  void acquired(uint64_t block, uint32_t warp, uint32_t mask, const SyncPlace& place) override {
    BlockState* found = state(block);
    if (found == nullptr) return;
    if (watches_cluster() && orders_blocks(place)) cluster_.acquired(found->peers, place);
    if (place.kind == SyncPlace::Kind::cluster_relaxed || place.kind == SyncPlace::Kind::cluster_barrier)
      found->mbarriers.met(warp);
    if (place.kind == SyncPlace::Kind::warp)
      found->shared.warp_met(warp, mask, lanes_of(warp));
    else if (orders_threads(place))
      found->shared.acquired(warp, mask, place);
    if (shadow_ != nullptr && place.kind == SyncPlace::Kind::cluster_barrier) {
      shadow_->messages.read(found->voice, cluster_key(place));
      shadow_->messages.settle(found->voice);
    }
  }
  void mbarrier(uint64_t block, uint32_t warp, uint32_t mask, uint32_t instruction, uint64_t owner,
                uint64_t offset, bool initialises) override {
    BlockState* const of = launch_.options.race ? state(owner) : nullptr;
    if (of == nullptr) return;
    BlockClock& clock = of->shared.turn_clock();
    if (initialises) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
      of->mbarriers.note({offset, warp * 32 + lane, clock.stamp(warp), launch_.sites[instruction], 0});
      return;
    }
    MbarrierStart* const start = of->mbarriers.find(offset);
    if (start == nullptr) return;
    int early = -1;
    if (block == owner)
      early = MbarrierStarts::early_lane(*start, clock, warp, mask);
    else if (BlockState* const from = state(block); from->peers.heard_of(owner) < start->stamp)
      early = std::countr_zero(mask);
    else
      ClusterShadow::note_peer(
          {block, from->shared.turn_clock().stamp(warp), offset,
           warp * 32 + static_cast<uint32_t>(std::countr_zero(mask)), launch_.sites[instruction], true, true},
          of->peers);
    if (early >= 0)
      report_early_mbarrier(launch_, {block, owner, offset, instruction, warp, static_cast<uint32_t>(early)},
                            *start);
  }
  void warp_barrier(uint64_t block, uint32_t warp, uint32_t, uint32_t mask) override {
    if (BlockState* found = state(block)) found->shared.warp_met(warp, mask, lanes_of(warp));
  }
  void fence(uint64_t block, uint32_t, uint32_t, machine::Scope scope, bool proxy_async) override {
    BlockState* found = state(block);
    if (found == nullptr) return;
    // What is written at this very stamp after the fence is taken for covered, too.
    if (proxy_async) found->proxy_fence = found->shared.clock().now();
    if (scope != machine::Scope::block) ++found->voice.fences;
  }

 private:
  // cp.async and bulk groups tell a thread of its own copies only.
  static bool orders_threads(const SyncPlace& place) {
    return place.kind != SyncPlace::Kind::bulk_group && place.kind != SyncPlace::Kind::warp &&
           place.kind != SyncPlace::Kind::cluster_relaxed;
  }

  bool watches_cluster() const { return launch_.has_clusters && launch_.options.race; }
  static bool orders_blocks(const SyncPlace& place) {
    return place.kind == SyncPlace::Kind::cluster_barrier || place.kind == SyncPlace::Kind::cluster_relaxed ||
           place.kind == SyncPlace::Kind::mbarrier;
  }

  static bool is_heard_by_others(const SyncPlace& place, uint64_t block) {
    return orders_blocks(place) && (place.kind != SyncPlace::Kind::mbarrier || place.block != block);
  }

  static uint64_t cluster_key(const SyncPlace& place) { return place.block << 1 | 1; }  // no address is odd

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

  // The values of an ordinary store; other instructions that store keep theirs to themselves.
  StoredValues stored(const Access& access) const {
    const machine::MicroOp& op = launch_.program->ops[access.instruction];
    if (op.kind != OpKind::store || access.kind != AccessKind::store) return {};
    return {&launch_.program->memory[op.detail], machine_->registers(), &launch_.library_sites};
  }
  const UndefinedLanes& stored_undefined(const Access& access) const {
    static const UndefinedLanes none;
    const bool is_store = launch_.program->ops[access.instruction].kind == OpKind::store;
    return is_store ? machine_->undefined : none;
  }
  bool starts_from_nothing(const Access& access) const {
    const machine::MicroOp& op = launch_.program->ops[access.instruction];
    return op.kind == OpKind::atomic &&
           launch_.program->atomics[op.detail].operation == machine::AtomicOperation::exchange;
  }

  void global_written(const Access& access) {
    if (access.kind == AccessKind::load) return global_.load(access, machine_->undefined);
    if (access.kind == AccessKind::store) return global_.store(access, stored_undefined(access));
    UndefinedLanes undefined;
    if (!starts_from_nothing(access)) global_.load(access, undefined);
    if (undefined.lanes != 0) report_undefined_update(launch_, access, undefined);
    global_.store(access, undefined);
  }

  void global_access(const Access& access) {
    const bool is_flag = launch_.has_fences &&
                         (access.kind >= AccessKind::atomic || access.ordering != machine::Ordering::weak);
    machine::DeviceMemory::Range& unwatched = unwatched_[access.instruction];
    uint64_t lowest, end;
    GlobalWritten::bounds(access, lowest, end);
    const bool is_watched =
        !(lowest >= unwatched.begin && end <= unwatched.end) && shadow_->is_watched(lowest, end, unwatched);
    if (!is_watched && !is_flag) return;
    BlockState* const block = state(access.block);
    if (block == nullptr) return;
    if (shadow_->messages.has_unsettled(block->voice)) shadow_->messages.settle(block->voice);
    if (is_flag) tell_blocks(access, *block, true);
    if (is_watched) {
      const GlobalShadow::Visitor visitor{access.block, block->shared.clock().meetings(),
                                          block->compares_threads,
                                          launch_.has_fences ? &block->voice : nullptr};
      if (const auto race =
              shadow_->access(access, launch_.sites[access.instruction], visitor, stored(access), race_))
        throw global_race_fault(launch_, *race);
    }
    if (is_flag) tell_blocks(access, *block, false);
  }

  // A flag, a counter or a lock in global memory: read first, then, when it is written, published.
  void tell_blocks(const Access& access, BlockState& block, bool reads) {
    block.compares_threads = false;
    const bool writes = access.kind != AccessKind::load;
    const bool releases = access.ordering == machine::Ordering::release ||
                          access.ordering == machine::Ordering::acquire_release;
    if (reads ? access.kind == AccessKind::store || access.kind == AccessKind::reduction : !writes) return;
    if (!reads && releases) ++block.voice.fences;
    uint64_t addresses[32];
    machine::fill_addresses(access, addresses);
    uint64_t last = ~0ull;
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const uint64_t address = addresses[std::countr_zero(rest)] & ~1ull;
      if (address == last) continue;
      last = address;
      if (reads)
        shadow_->messages.read(block.voice, address);
      else
        shadow_->messages.publish(block.voice, address);
    }
  }

  // How the lanes of an access that repeats itself lie; nullptr of others.
  const AccessPattern* pattern_of(const Access& access) {
    if (!access.repeats) {
      patterns_.changes(access.instruction);
      return nullptr;
    }
    return &patterns_.of(access, launch_.sites[access.instruction], [&] {
      for (const auto& [linear, block] : blocks_)
        block->shared.forget_patterns();
    });
  }
  // The loads that inner loops are made of.
  static bool needs_no_look(const Access& access, const AccessPattern& pattern, SharedShadow& shared) {
    if (access.kind != AccessKind::load || access.ordering != machine::Ordering::weak) return false;
    return shared.logs() ? shared.log_load(access, pattern) : shared.load_at_once(access, pattern.site);
  }

  void shared_access(const Access& access) {
    const AccessPattern* const pattern = pattern_of(access);
    BlockState* const owner = state(access.owner);
    if (owner == nullptr) return;
    SharedShadow& shared = owner->shared;
    if (watches_cluster()) cluster_access(access, *owner);
    if (access.owner != access.block) {  // from another block of the cluster
      SharedRace met;
      if (shared.has_copies() && shared.meets_copy(access, met)) report_shared_race(launch_, access, met);
      if (access.kind == AccessKind::load) return;
      uint64_t offsets[32];
      machine::fill_addresses(access, offsets);
      for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
        shared.land(offsets[std::countr_zero(rest)], access.bytes);
      return;
    }
    if (pattern != nullptr && needs_no_look(access, *pattern, shared)) return;
    const bool is_flag = launch_.has_fences &&
                         (access.ordering != machine::Ordering::weak || access.kind >= AccessKind::atomic);
    const uint32_t site = launch_.sites[access.instruction];
    SharedRace race;
    if (access.kind == AccessKind::load) {
      if (is_flag) meet_at(access, shared, true);
      if (shared.load(access, site, pattern, machine_->undefined, race))
        report_shared_race(launch_, access, race);
      return;
    }
    if (access.kind != AccessKind::store) {
      UndefinedLanes undefined;
      if (launch_.options.uninitialised && !starts_from_nothing(access))
        shared.find_undefined(access, undefined);
      if (undefined.lanes != 0) report_undefined_update(launch_, access, undefined);
      if (is_flag) meet_at(access, shared, true);
    } else if (shared.has_copies() && launch_.program->ops[access.instruction].kind == OpKind::async_copy) {
      shared.copies_arrived(access);
    }
    if (shared.store(access, site, pattern, stored_undefined(access), stored(access),
                     machine_->shared_window(), race))
      report_shared_race(launch_, access, race);
    if (is_flag) meet_at(access, shared, false);
  }

  // Races between blocks of a cluster; those inside the block are looked for as ever.
  void cluster_access(const Access& access, BlockState& owner) {
    BlockState* const from = state(access.block);
    if (from == nullptr) return;
    const bool strong = access.ordering != machine::Ordering::weak || access.kind >= AccessKind::atomic;
    if (strong && access.kind != AccessKind::store)
      cluster_.met_at_flags(from->peers, from->shared.turn_clock(), access, true);
    std::optional<ClusterRace> race;
    if (&owner != from)
      race = cluster_.peer_access(access, launch_.sites[access.instruction], from->peers,
                                  from->shared.turn_clock(), owner.peers, owner.shared, stored(access),
                                  machine_->shared_window());
    else if (owner.peers.has_marks)
      race = ClusterShadow::own_access(access, owner.peers, stored(access), machine_->shared_window());
    if (race) report_cluster_race(launch_, access, *race);
    if (strong && access.kind != AccessKind::load)
      cluster_.met_at_flags(from->peers, from->shared.turn_clock(), access, false);
  }

  // A flag or a lock in shared memory: who reads it sees what was done before it was written. Whether a fence
  // was there is not asked.
  void meet_at(const Access& access, SharedShadow& shared, bool acquires) {
    uint64_t offsets[32];
    machine::fill_addresses(access, offsets);
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const SyncPlace place{SyncPlace::Kind::grid, access.block, offsets[lane] / 4, 0};
      if (acquires)
        shared.acquired(access.warp, 1u << lane, place);
      else
        shared.released(access.warp, place);
    }
  }

  const CheckedLaunch& launch_;
  machine::MachineView* machine_ = nullptr;
  GlobalWritten global_;
  GlobalShadow* shadow_;
  std::vector<machine::DeviceMemory::Range> unwatched_;  // by instruction: addresses without watched arrays
  std::optional<GlobalRace> race_;
  AccessPatterns patterns_;
  ClusterShadow cluster_;
  BlockState* current_ = nullptr;
  std::unordered_map<uint64_t, std::unique_ptr<BlockState>> blocks_;
  std::vector<std::unique_ptr<BlockState>> spare_;
};

}  // namespace

Checks::Checks(CheckOptions options, const machine::LaunchConfig& config, machine::DeviceMemory& memory)
    : launch_{options, config, memory, nullptr, 0, 0, false, false, false, {}, {}, {}} {}

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
}

std::optional<machine::ObserverFactory::LateFault> Checks::verdict() {
  if (race_ == nullptr) return std::nullopt;
  return LateFault{global_race_fault(launch_, *race_), race_->high_block};
}

}  // namespace ridge::observe
