#include "virtual_gpu/observe/counts/work_behind_groups.h"

#include <algorithm>

namespace ridge::observe {
namespace {

using machine::AsyncStep;
using machine::Groups;
using machine::SyncPlace;

constexpr uint64_t kWarpsPerBlock = 32;

bool is_group_of(Groups kind, const SyncPlace& place) {
  const uint64_t first = static_cast<uint64_t>(kind);
  return place.kind == SyncPlace::Kind::bulk_group && place.id >= first &&
         place.id < first + kWarpsPerBlock;
}

}  // namespace

bool has_async_groups(const std::vector<machine::InstructionSource>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](const machine::InstructionSource& source) {
    // .ca and .cg; the commit of a group closes them.
    return source.opcode.starts_with("cp.async.c") || source.opcode.starts_with("wgmma.mma_async");
  });
}

void WorkBehindGroups::step(const AsyncStep& step, LaunchCounts& counts) {
  if (!active_ || step.warp >= issued_.size()) return;
  const bool is_wgmma = is_group_of(Groups::products, step.place);
  if (!is_wgmma && !is_group_of(Groups::copies, step.place)) return;
  Warp& warp = warps_[step.block * kWarpsPerBlock + step.warp];
  InFlight& groups = is_wgmma ? warp.wgmma : warp.copies;
  if (step.kind == AsyncStep::Kind::commit) {
    if (!step.is_empty) groups[step.place.phase] = issued_[step.warp];
    return;
  }
  if (step.kind != AsyncStep::Kind::waited) return;
  uint64_t& count = is_wgmma ? counts.wgmma_groups : counts.copy_groups;
  uint64_t& behind = is_wgmma ? counts.instructions_behind_wgmma : counts.instructions_behind_copies;
  for (auto group = groups.begin(); group != groups.end();) {
    if (group->first >= step.place.phase) {
      ++group;
      continue;
    }
    ++count;
    behind += issued_[step.warp] - group->second;
    group = groups.erase(group);
  }
}

void WorkBehindGroups::block_end(uint64_t block) {
  for (uint64_t warp = 0; !warps_.empty() && warp < kWarpsPerBlock; ++warp)
    warps_.erase(block * kWarpsPerBlock + warp);
}

}  // namespace ridge::observe
