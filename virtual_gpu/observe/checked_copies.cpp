// What the checks look at when a unit beside the threads copies (cp.async, TMA) or multiplies.
#include <bit>

#include "virtual_gpu/observe/check_text.h"
#include "virtual_gpu/observe/checker.h"
#include "virtual_gpu/observe/cluster_text.h"

namespace ridge::observe {

using machine::Access;
using machine::AccessKind;
using machine::AccessSpace;
using machine::OpKind;

void Checker::bulk_access(const machine::BulkAccess& access) {
  if (access.space == AccessSpace::global) {
    if (access.kind == AccessKind::load) return;
    for (const auto& run : access.runs)
      launch_.memory.note_written(run.begin, run.bytes);
    return;
  }
  BlockState* owner = state(access.owner);
  if (owner == nullptr) return;
  if (access.kind == AccessKind::load && owner->shared.has_copies()) {
    const bool is_store = launch_.program->ops[access.instruction].kind == OpKind::bulk_copy;
    SharedRace race;
    for (const auto& run : access.runs) {
      if (run.begin + run.bytes > launch_.shared_bytes) continue;
      if (owner->shared.is_arriving(run.begin, run.bytes, race))
        report_unit_meets_copy(launch_, access, race);
      if (is_store) owner->shared.copy_left(run.begin, run.bytes);
    }
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

void Checker::async_copy_begins(const Access& access) {
  BlockState* const block = launch_.options.race ? state(access.block) : nullptr;
  if (block == nullptr) return;
  SharedRace race;
  if (block->shared.copies_begin(access, launch_.sites[access.instruction], race))
    report_early_copy(launch_, access.instruction, race);
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

}  // namespace ridge::observe
