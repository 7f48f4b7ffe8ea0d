// Moves the bytes of bulk copies.
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/bulk_bytes.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"

namespace ridge::machine {
namespace {

// Limit on the bytes of a block in stores that were read but not written; above it the oldest is
// written.
constexpr uint64_t kMaxStagedBytes = 1 << 20;

BulkAccess access_of(const BulkCopy& copy, AccessSpace space, AccessKind kind, uint64_t owner,
                     const Runs& runs) {
  BulkAccess access;
  access.instruction = copy.instruction;
  access.space = space;
  access.kind = kind;
  access.block = copy.issuer;
  access.warp = copy.warp;
  access.mask = 1u << copy.lane;
  access.owner = owner;
  access.runs = runs;
  return access;
}

// The bytes of the copy in a block's shared memory, from `at`.
Runs shared_runs(const BulkCopy& copy, uint32_t at) {
  Runs runs;
  if (copy.box != nullptr)
    add_shared_runs(*copy.box, at, runs);
  else
    runs.push_back({at, copy.bytes});
  return runs;
}

}  // namespace

SyncPlace group_place(const BulkCopy& copy) {
  return {SyncPlace::Kind::bulk_group, copy.issuer, copy.warp + kMaxWarps, copy.group};
}

// From now on the copy may write to shared memory at `at`, or read there.
void CopyEngine::notify_bulk_begins(const BulkCopy& copy, AccessKind kind, const Block& owner,
                                    uint32_t at) {
  if (context_.observer == nullptr) return;
  const Runs runs = shared_runs(copy, at);
  context_.observer->bulk_begins(access_of(copy, AccessSpace::shared, kind, owner.linear, runs));
}

// All threads of `owner` have exited, and the copy still writes to its shared memory, or reads there.
void CopyEngine::notify_copy_at_exit(const BulkCopy& copy, AccessKind kind, const Block& owner,
                                     uint32_t at) {
  if (context_.observer == nullptr) return;
  const Runs runs = shared_runs(copy, at);
  BulkAccess access = access_of(copy, AccessSpace::shared, kind, owner.linear, runs);
  access.at_exit = true;
  context_.observer->bulk_access(access);
}

bool CopyEngine::land_copies(Block& block, uint32_t mbarrier) {
  auto& arriving = block.bulk.arriving;
  if (arriving.empty()) return false;
  size_t kept = 0;
  for (size_t i = 0; i < arriving.size(); ++i) {
    if (arriving[i].mbarrier == mbarrier) {
      land(block, arriving[i]);
    } else {
      if (kept != i) arriving[kept] = std::move(arriving[i]);
      ++kept;
    }
  }
  const bool any = kept != arriving.size();
  arriving.resize(kept);
  return any;
}

bool CopyEngine::land_all_copies(Block& block) {
  auto& arriving = block.bulk.arriving;
  const bool any = !arriving.empty();
  for (BulkCopy& copy : arriving)
    land(block, copy);
  arriving.clear();
  return any;
}

void CopyEngine::land(Block& block, BulkCopy& copy) {
  std::byte* const window = block.shared.get();
  const bool is_load = copy.direction == BulkDirection::load;
  if (context_.observer != nullptr) {
    Runs runs;
    if (copy.box != nullptr)
      add_global_runs(*copy.box, runs);
    else
      runs.push_back({is_load ? copy.global : copy.source, copy.bytes});
    if (copy.has_source)
      context_.observer->bulk_access(
          access_of(copy, is_load ? AccessSpace::global : AccessSpace::shared, AccessKind::load,
                    is_load ? 0 : copy.source_block->linear, runs));
    runs = shared_runs(copy, copy.destination);
    BulkAccess access =
        access_of(copy, AccessSpace::shared,
                  copy.reduces ? AccessKind::reduction : AccessKind::store, block.linear, runs);
    access.mbarrier = copy.mbarrier;
    access.phase = mbarriers_.mbarrier_phase({&block, copy.mbarrier}).phase;
    access.lands = true;
    context_.observer->bulk_access(access);
  }
  if (copy.box != nullptr) {
    load_box(*copy.box, window, copy.destination);
  } else {
    const std::byte* const from = is_load ? reinterpret_cast<const std::byte*>(copy.global)
                                          : copy.source_block->shared.get() + copy.source;
    if (copy.reduces)
      reduce_bytes({copy.operation, copy.type}, window + copy.destination, from, copy.bytes, false);
    else
      std::memmove(window + copy.destination, from, copy.bytes);
  }
  context_.made_progress = true;
  complete_bytes(block, copy);
}

void CopyEngine::read_store(Block& block, BulkCopy& copy) {
  const std::byte* const window = copy.source_block->shared.get();
  if (context_.observer != nullptr) {
    const Runs runs = shared_runs(copy, copy.source);
    context_.observer->bulk_access(
        access_of(copy, AccessSpace::shared, AccessKind::load, copy.source_block->linear, runs));
  }
  copy.staged = std::make_shared_for_overwrite<std::byte[]>(
      copy.box != nullptr ? copy.box->layout.shared_bytes() : copy.bytes);
  if (copy.box != nullptr)
    unswizzle_box(*copy.box, window, copy.source, copy.staged.get());
  else
    std::memcpy(copy.staged.get(), window + copy.source, copy.bytes);
  copy.was_read = true;
  block.bulk.staged_bytes += copy.bytes;
}

void CopyEngine::write_store(Block& block, BulkCopy& copy) {
  if (context_.observer != nullptr) {
    Runs runs;
    if (copy.box != nullptr)
      add_global_runs(*copy.box, runs);
    else
      runs.push_back({copy.global, copy.bytes});
    context_.observer->bulk_access(
        access_of(copy, AccessSpace::global,
                  copy.reduces ? AccessKind::reduction : AccessKind::store, 0, runs));
  }
  const Reduction reduction{copy.operation, copy.type};
  auto* const to = reinterpret_cast<std::byte*>(copy.global);
  if (copy.box != nullptr) {
    if (copy.reduces)
      reduce_box(reduction, *copy.box, copy.staged.get());
    else
      store_box(*copy.box, copy.staged.get());
  } else if (copy.reduces) {
    reduce_bytes(reduction, to, copy.staged.get(), copy.bytes, true);
  } else {
    std::memcpy(to, copy.staged.get(), copy.bytes);
  }
  if (context_.observer != nullptr)
    context_.observer->released(copy.issuer, copy.warp, 1u << copy.lane, group_place(copy));
  copy.was_written = true;
  block.bulk.staged_bytes -= copy.bytes;
  context_.made_progress = true;
}

void CopyEngine::limit_staged(Block& block) {
  auto& leaving = block.bulk.leaving;
  for (size_t i = 0; i < leaving.size() && block.bulk.staged_bytes > kMaxStagedBytes; ++i) {
    if (leaving[i].was_read) write_store(block, leaving[i]);
  }
  std::erase_if(leaving, [](const BulkCopy& copy) { return copy.was_written; });
}

void CopyEngine::end_block(Block& block) {
  for (const BulkCopy& copy : block.bulk.arriving)
    notify_copy_at_exit(copy, AccessKind::store, block, copy.destination);
  block.bulk.arriving.clear();
  for (BulkCopy& copy : block.bulk.leaving) {
    if (!copy.was_read) {
      notify_copy_at_exit(copy, AccessKind::load, *copy.source_block, copy.source);
      read_store(block, copy);
    }
    write_store(block, copy);
  }
  block.bulk.leaving.clear();
}

}  // namespace ridge::machine
