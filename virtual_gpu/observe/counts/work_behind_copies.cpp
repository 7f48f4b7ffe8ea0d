#include "virtual_gpu/observe/counts/work_behind_copies.h"

#include <algorithm>

namespace ridge::observe {
namespace {

using machine::AsyncStep;
using machine::SyncPlace;

constexpr uint64_t kWarpsPerBlock = 32;

// Groups of cp.async; bulk copies and wgmma have ids of their own (machine::Groups).
bool is_copy_group(const SyncPlace& place) {
  return place.kind == SyncPlace::Kind::bulk_group &&
         place.id < static_cast<uint64_t>(machine::Groups::bulk);
}

}  // namespace

bool has_async_copies(const std::vector<machine::InstructionSource>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](const machine::InstructionSource& source) {
    // .ca and .cg; the commit of a group closes them.
    return source.opcode.starts_with("cp.async.c");
  });
}

void WorkBehindCopies::step(const AsyncStep& step, LaunchCounts& counts) {
  if (!active_ || !is_copy_group(step.place) || step.warp >= issued_.size()) return;
  Warp& warp = warps_[step.block * kWarpsPerBlock + step.warp];
  if (step.kind == AsyncStep::Kind::commit) {
    if (!step.is_empty) warp.closed_at[step.place.phase] = issued_[step.warp];
    return;
  }
  if (step.kind != AsyncStep::Kind::waited) return;
  for (auto group = warp.closed_at.begin(); group != warp.closed_at.end();) {
    if (group->first >= step.place.phase) {
      ++group;
      continue;
    }
    ++counts.copy_groups;
    counts.instructions_behind_copies += issued_[step.warp] - group->second;
    group = warp.closed_at.erase(group);
  }
}

void WorkBehindCopies::block_end(uint64_t block) {
  for (uint64_t warp = 0; !warps_.empty() && warp < kWarpsPerBlock; ++warp)
    warps_.erase(block * kWarpsPerBlock + warp);
}

}  // namespace ridge::observe
