// The checks of asynchronous operations: copies (cp.async, TMA) and wgmma.
#include <bit>

#include "virtual_gpu/observe/check_text.h"
#include "virtual_gpu/observe/checker.h"
#include "virtual_gpu/observe/races/cluster_text.h"
#include "virtual_gpu/observe/selective_observer.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;
using machine::AccessSpace;
using machine::OpKind;

void Checker::bulk_access(const machine::BulkAccess& access) {
  if (access.space == AccessSpace::global) {
    if (access.kind == AccessKind::load) return;
    for (const auto& run : access.runs)
      launch_.memory.record_written(run.begin, run.bytes);
    return;
  }
  if (access.together) return;
  BlockState* owner = state(access.owner);
  if (owner == nullptr) return;
  if (access.at_exit) {
    if (launch_.options.race && launch_.config.checks_copies_at_exit) report_copy_at_exit(launch_, access);
    return;
  }
  if (access.kind == AccessKind::load && owner->shared.has_copies()) {
    const bool is_store = launch_.program->ops[access.instruction].kind == OpKind::bulk_copy;
    SharedRace race;
    for (const auto& run : access.runs) {
      if (run.begin + run.bytes > launch_.shared_bytes) continue;
      if (owner->shared.is_arriving(run.begin, run.bytes, race))
        report_unit_copy_conflict(launch_, access, race);
      if (is_store) owner->shared.copy_left(run.begin, run.bytes);
    }
  }
  if (access.kind == AccessKind::load && !owner->shared.any_written_after(owner->proxy_fence)) return;
  const uint64_t landing =
      access.lands && launch_.follows_landings
          ? owner->shared.landings().landed(access.mbarrier, access.phase, launch_.sites[access.instruction],
                                            access.kind == AccessKind::reduction)
          : 0;
  for (const auto& run : access.runs) {
    if (run.begin + run.bytes > launch_.shared_bytes) continue;
    if (access.kind != AccessKind::load) {
      owner->shared.land(run.begin, run.bytes);
      if (landing != 0) owner->shared.landed(run.begin, run.bytes, landing);
      continue;
    }
    Cell writer;
    uint64_t at = 0;
    if (owner->shared.written_after(run.begin, run.bytes, owner->proxy_fence, writer, at))
      report_missing_proxy_fence(launch_, access, writer, at);
  }
}

void Checker::async_copy_begins(const Access& access) {
  BlockState* const block = launch_.options.race ? state(access.block) : nullptr;
  if (block == nullptr) return;
  SharedRace race;
  if (block->shared.copies_begin(access, launch_.sites[access.instruction], race))
    report_early_copy(launch_, access.instruction, race);
  if (block->shared.copy_conflict()) {
    const ByteRange bytes = bytes_of(access);
    two_copies(*block, access.block, access.instruction, access.warp, bytes.lowest, bytes.end);
  }
  if (block->shared.landing_conflict() != nullptr) {
    const ByteRange bytes = bytes_of(access);
    over_landed(*block, access.block, access.instruction, access.warp, bytes.lowest, bytes.end);
  }
  if (!block->products.empty()) overwrites_product(access, *block);
}

void Checker::over_landed(BlockState& owner, uint64_t block, uint32_t instruction, uint32_t warp,
                          uint64_t begin, uint64_t end) const {
  const Landing& landing = *owner.shared.landing_conflict();
  if (landing.reduces) return;  // both are reductions, so both updates are made
  if (const auto clash = machine_->landed_clash(block, begin, end))
    report_landed_clash(launch_, instruction, warp, *clash, landing.site);
}

void Checker::two_copies(const BlockState& owner, uint64_t block, uint32_t instruction, uint32_t warp,
                         uint64_t begin, uint64_t end) const {
  if (const auto clash = machine_->copy_clash(owner.linear, begin, end))
    report_copy_clash(launch_, block, instruction, warp, *clash);
}

void Checker::product(const machine::Product& product, bool is_made) {
  BlockState* const block = launch_.options.race ? state(product.block) : nullptr;
  if (block == nullptr) return;
  if (is_made)
    block->products.made(product, block->shared.advance_clock().stamp(product.warp));
  else
    block->products.issued(product, launch_.sites[product.instruction]);
}

const ProductRead* Checker::read_by_product(const BlockState& from, uint32_t warp, BlockState& owner,
                                            uint64_t begin, uint64_t end, uint64_t& at) {
  if (owner.products.empty()) return nullptr;
  if (&from == &owner) return owner.products.read_before(begin, end, warp, owner.shared.clock(), at);
  const uint32_t over = from.peers.synchronized_by_flags ? ~0u : from.peers.clock_of(owner.linear);
  return owner.products.read_before(begin, end, over, at);
}

// A store, an atomic, or the start of a cp.async.
void Checker::overwrites_product(const Access& access, BlockState& owner) {
  const BlockState* const from = state(access.block);
  const ByteRange range = bytes_of(access);
  uint64_t at = 0;
  if (from == nullptr || read_by_product(*from, access.warp, owner, range.lowest, range.end, at) == nullptr)
    return;
  uint64_t offsets[32];
  machine::fill_addresses(access, offsets);
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const ProductRead* const read =
        read_by_product(*from, access.warp, owner, offsets[lane], offsets[lane] + access.bytes, at);
    if (read != nullptr)
      report_overwritten_product(launch_, access.instruction, access.warp, lane, at, *read, true);
  }
}

void Checker::bulk_begins(const machine::BulkAccess& access) {
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
    if (owner->shared.is_arriving(run.begin, run.bytes, race))
      two_copies(*owner, access.block, access.instruction, access.warp, run.begin, run.begin + run.bytes);
    uint64_t at = 0;
    if (const ProductRead* const read =
            read_by_product(*from, access.warp, *owner, run.begin, run.begin + run.bytes, at))
      report_overwritten_product(launch_, access.instruction, access.warp, thread % 32, at, *read,
                                 !launch_.options.uninitialised || owner->shared.is_written(at));
    if (owner == from && owner->shared.copy_begins(run.begin, run.bytes, thread, site, race))
      report_early_copy(launch_, access.instruction, race);
    if (owner == from && owner->shared.landing_conflict() != nullptr)
      over_landed(*owner, access.block, access.instruction, access.warp, run.begin, run.begin + run.bytes);
    if (owner != from && checks_cluster()) {
      if (const auto early =
              ClusterShadow::copy_begins(from->peers, owner->peers, owner->shared, run.begin, run.bytes))
        report_cluster_copy(launch_, access, *early);
    }
    owner->shared.mark_arriving(run.begin, run.bytes, site);
  }
}

}  // namespace ridge::observe
