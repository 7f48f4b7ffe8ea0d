// The checks of accesses by threads.
#include <bit>

#include "virtual_gpu/observe/check_text.h"
#include "virtual_gpu/observe/checker.h"
#include "virtual_gpu/observe/races/cluster_text.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;
using machine::AccessSpace;
using machine::OpKind;
using machine::SyncPlace;

void Checker::access(const Access& access) {
  if (access.mask == 0) return;
  switch (access.space) {
    case AccessSpace::global:
      if (checks_cluster() && access.kind != AccessKind::store && is_strong(access)) {
        if (BlockState* const block = state(access.block)) block->peers.synchronized_by_flags = true;
      }
      if (launch_.options.uninitialised) global_written(access);
      if (shadow_ != nullptr) global_access(access);
      return;
    case AccessSpace::shared:
      return shared_access(access);
    case AccessSpace::local:
      if (launch_.options.uninitialised) {
        undefined_.lanes = 0;
        state(access.block)->local.access(access, undefined_);
        if (access.kind == AccessKind::load) taint_loaded(access);
      }
      return;
    default:
      return;
  }
}

bool Checker::may_elide(const Access& access, ElisionTerms& terms) {
  if (access.space == AccessSpace::shared) {
    if (DeferredReads::path_of(*launch_.program, access) != nullptr) return false;
    const AccessPattern* const pattern = patterns_.current(access.instruction);
    const BlockState* const block = state(access.block);
    if (pattern == nullptr || block == nullptr || access.owner != access.block || !block->shared.logs() ||
        pattern->span > (machine::ReadLog::kMaxLines - 1) * machine::ReadLog::kLineBytes)
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
    const machine::DeviceMemory::Range& unchecked = unchecked_[access.instruction];
    terms.keep_inside(unchecked.begin, unchecked.end);
  }
  return true;
}

StoredValues Checker::stored(const Access& access) const {
  const machine::MicroOp& op = launch_.program->ops[access.instruction];
  if (op.kind != OpKind::store || access.kind != AccessKind::store) return {};
  return {&launch_.program->memory[op.detail], machine_->registers(), &launch_.library_sites};
}

const UndefinedLanes& Checker::stored_undefined(const Access& access) {
  undefined_.lanes = 0;
  if (BlockState* const block = state(access.block)) {
    taint_.find_stored(block->taint, access, undefined_);
    if (undefined_.lanes != 0 && access.space == AccessSpace::shared)
      taint_.remember_stored(block->taint, access, undefined_);
  }
  return undefined_;
}

bool Checker::ignores_old_value(const Access& access) const {
  const machine::MicroOp& op = launch_.program->ops[access.instruction];
  return op.kind == OpKind::atomic &&
         launch_.program->atomics[op.detail].operation == machine::AtomicOperation::exchange;
}

void Checker::global_written(const Access& access) {
  if (access.kind == AccessKind::load) {
    undefined_.lanes = 0;
    global_.load(access, undefined_);
    return taint_loaded(access);
  }
  if (access.kind == AccessKind::store) return global_.store(access, stored_undefined(access));
  UndefinedLanes undefined;
  if (!ignores_old_value(access)) global_.load(access, undefined);
  if (undefined.lanes != 0) report_undefined_update(launch_, access, undefined);
  global_.store(access, undefined);
}

void Checker::global_access(const Access& access) {
  const bool is_flag =
      launch_.has_fences && (access.kind >= AccessKind::atomic || access.ordering != machine::Ordering::weak);
  machine::DeviceMemory::Range& unchecked = unchecked_[access.instruction];
  uint64_t lowest, end;
  GlobalWritten::bounds(access, lowest, end);
  const bool has_region =
      !(lowest >= unchecked.begin && end <= unchecked.end) && shadow_->has_region(lowest, end, unchecked);
  if (!has_region && !is_flag) return;
  BlockState* const block = state(access.block);
  if (block == nullptr) return;
  settle_flags(*block);
  if (is_flag) {
    publish_flag(access, *block, true);
    // With one host thread nobody publishes between here and the access itself.
    if (launch_.config.host_threads == 1) settle_flags(*block);
  }
  if (has_region) {
    const GlobalShadow::Visitor visitor{access.block, block->shared.clock().synchronizations(),
                                        block->compares_threads,
                                        launch_.has_fences ? &block->vector_clock : nullptr};
    if (const auto race =
            shadow_->access(access, launch_.sites[access.instruction], visitor, stored(access), race_))
      throw global_race_fault(launch_, *race);
  }
  if (is_flag) publish_flag(access, *block, false);
}

void Checker::publish_flag(const Access& access, BlockState& block, bool reads) {
  block.compares_threads = false;
  const bool writes = access.kind != AccessKind::load;
  // An access of block scope synchronises with no other block, whatever fence accompanies it. The
  // same is true for cluster scope when every cluster has one block.
  if (access.scope == machine::Scope::block || (access.scope == machine::Scope::cluster && !launch_.has_clusters))
    return;
  const bool releases =
      access.ordering == machine::Ordering::release || access.ordering == machine::Ordering::acquire_release;
  if (reads ? access.kind == AccessKind::store || access.kind == AccessKind::reduction : !writes) return;
  if (!reads && releases) ++block.vector_clock.fences;
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  uint64_t last = ~0ull;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)] & ~1ull;
    if (address == last) continue;
    last = address;
    if (reads)
      shadow_->messages.read(block.vector_clock, address);
    else
      shadow_->messages.publish(block.vector_clock, address);
  }
}

const AccessPattern* Checker::pattern_of(const Access& access) {
  if (!access.repeats) {
    patterns_.changes(access.instruction);
    return nullptr;
  }
  return &patterns_.of(access, launch_.sites[access.instruction], [&] {
    for (const auto& [linear, block] : blocks_)
      block->shared.clear_patterns();
  });
}

bool Checker::needs_no_look(const Access& access, const AccessPattern& pattern, SharedShadow& shared) {
  if (access.kind != AccessKind::load || access.ordering != machine::Ordering::weak) return false;
  return shared.logs() ? shared.log_load(access, pattern) : shared.load_at_once(access, pattern.site);
}

void Checker::shared_access(const Access& access) {
  const AccessPattern* const pattern = pattern_of(access);
  BlockState* const owner = state(access.owner);
  if (owner == nullptr) return;
  SharedShadow& shared = owner->shared;
  if (checks_cluster()) cluster_access(access, *owner);
  if (access.kind != AccessKind::load && !owner->products.empty()) overwrites_product(access, *owner);
  if (access.owner != access.block) {  // shared memory of another block of the cluster
    SharedRace race;
    if (shared.has_copies() && shared.conflicts_with_copy(access, race, false))
      report_shared_race(launch_, access, race);
    if (access.kind == AccessKind::load) return;
    uint64_t offsets[32];
    machine::fill_addresses(access, offsets);
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
      shared.land(offsets[std::countr_zero(rest)], access.bytes);
    return;
  }
  if (defer_read(access, *owner)) return;
  if (pattern != nullptr && needs_no_look(access, *pattern, shared)) return;
  const bool is_flag =
      launch_.has_fences && (access.ordering != machine::Ordering::weak || access.kind >= AccessKind::atomic);
  const uint32_t site = launch_.sites[access.instruction];
  SharedRace race;
  if (access.kind == AccessKind::load) {
    if (is_flag) synchronize_at(access, shared, true);
    undefined_.lanes = 0;
    const bool raced = shared.load(access, site, pattern, undefined_, race);
    taint_loaded(access);
    if (raced) report_shared_race(launch_, access, race);
    return;
  }
  if (access.kind != AccessKind::store) {
    UndefinedLanes undefined;
    if (launch_.options.uninitialised && !ignores_old_value(access))
      shared.find_undefined(access, undefined);
    if (undefined.lanes != 0) report_undefined_update(launch_, access, undefined);
    if (is_flag) synchronize_at(access, shared, true);
  } else if (launch_.program->ops[access.instruction].kind == OpKind::async_copy) {
    shared.copies_arrived(access);
  }
  if (shared.store(access, site, pattern, stored_undefined(access), stored(access), machine_->shared_window(),
                   race))
    report_shared_race(launch_, access, race);
  if (is_flag) synchronize_at(access, shared, false);
}

bool Checker::defer_read(const Access& access, BlockState& block) {
  if (launch_.program->maskable_reads.empty() || access.kind != AccessKind::load || !launch_.options.race ||
      access.ordering != machine::Ordering::weak || block.shared.has_copies())
    return false;
  const machine::MaskableRead* const path = DeferredReads::path_of(*launch_.program, access);
  if (path == nullptr) return false;
  if (launch_.options.uninitialised) {
    undefined_.lanes = 0;
    block.shared.find_undefined(access, undefined_);
    if (undefined_.lanes != 0) return false;
  }
  if (block.deferred.add(*launch_.program, *path, access, machine_->frame(), block.shared))
    machine_->step_warp(true);
  return true;
}

void Checker::before_instruction(const machine::SteppedInstruction& step) {
  BlockState* const block = state(step.block);
  if (block == nullptr) return;
  Access access;
  SharedRace race;
  if (block->deferred.any(step.warp) &&
      block->deferred.before(*launch_.program, machine_->registers(), machine_->frame(), step, block->shared,
                             launch_.sites, access, race))
    report_shared_race(launch_, access, race);
  taint_.before(block->taint, step);
  if (block->deferred.any(step.warp)) machine_->step_warp(true);
}

void Checker::cluster_access(const Access& access, BlockState& owner) {
  BlockState* const from = state(access.block);
  if (from == nullptr) return;
  const bool strong = access.ordering != machine::Ordering::weak || access.kind >= AccessKind::atomic;
  if (strong && access.kind != AccessKind::store)
    cluster_.flag_synchronized(from->peers, from->shared.advance_clock(), access, true);
  std::optional<ClusterRace> race;
  if (&owner != from)
    race = cluster_.peer_access(access, launch_.sites[access.instruction], from->peers,
                                from->shared.advance_clock(), owner.peers, owner.shared, stored(access),
                                machine_->shared_window());
  else if (owner.peers.has_marks)
    race = ClusterShadow::own_access(access, owner.peers, stored(access), machine_->shared_window());
  if (race) report_cluster_race(launch_, access, *race);
  if (strong && access.kind != AccessKind::load)
    cluster_.flag_synchronized(from->peers, from->shared.advance_clock(), access, false);
}

void Checker::synchronize_at(const Access& access, SharedShadow& shared, bool acquires) {
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

}  // namespace ridge::observe
