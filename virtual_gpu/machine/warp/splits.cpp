// The splits of a warp: selecting the one to run, and joining splits that reconverge.
#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

// The smallest key runs first: fewest yielded slices, then the deepest call, then the earliest
// basic block.
uint64_t Core::key_of(const Split& split) const {
  const uint64_t depth = split.frame->depth;
  return uint64_t{split.penalty} << 48 | (0xffff - depth) << 32 | context_.program.rank[split.pc];
}

// Joins splits at the same instruction and returns the one to run; nullptr when all are parked.
Split* Core::choose() {
  Warp& warp = *context_.warp;
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    Split& into = warp.splits[i];
    if (into.wait != Wait::none) continue;
    for (uint32_t j = i + 1; j < warp.split_count;) {
      Split& from = warp.splits[j];
      const bool same = from.wait == Wait::none && from.frame == into.frame && from.pc == into.pc &&
                        from.sync_passed == into.sync_passed;
      if (!same) {
        ++j;
        continue;
      }
      into.mask |= from.mask;
      into.penalty = std::max(into.penalty, from.penalty);
      warp.splits[j] = warp.splits[--warp.split_count];
    }
  }
  Split* best = nullptr;
  uint64_t best_key = ~0ull;
  join_key_ = ~0ull;
  uint32_t least_penalty = ~0u, most_penalty = 0;
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    Split& split = warp.splits[i];
    if (split.wait != Wait::none) continue;
    least_penalty = std::min(least_penalty, split.penalty);
    most_penalty = std::max(most_penalty, split.penalty);
    const uint64_t key = key_of(split);
    if (key < best_key) {
      join_key_ = best_key;
      best_key = key;
      best = &split;
    } else {
      join_key_ = std::min(join_key_, key);
    }
  }
  context_.rotating = most_penalty > 0;
  if (best != nullptr && least_penalty > 0) {
    context_.yield_now =
        true;  // every split has yielded a slice: the next warp runs, after one more try
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      Split& split = warp.splits[i];
      split.penalty -= std::min(split.penalty, least_penalty);
    }
    return choose();
  }
  return best;
}

void Core::remove_split(Split& split) {
  Split& last = context_.warp->splits[--context_.warp->split_count];
  // Mostly the only one. Copying it onto itself would read in one piece what was just written in
  // several, and the processor then waits until all its earlier stores have reached the cache.
  if (&split != &last) split = last;
}

// Lets the other splits of the warp, and then the other warps, run first.

void Core::exit_lanes(Split& split, uint32_t mask) {
  Warp& warp = *context_.warp;
  const uint32_t count = static_cast<uint32_t>(std::popcount(mask));
  warp.live &= ~mask;
  warp.exits.push_back({mask, context_.pc});
  context_.block->live_threads -= count;
  context_.block->exited_threads += count;
  Cluster& cluster = *context_.block->cluster;
  cluster.live_threads -= count;
  cluster.arrived_threads -= static_cast<uint32_t>(std::popcount(mask & warp.cluster_arrived));
  warp.cluster_arrived &= ~mask;
  context_.made_progress = true;
  for (Frame* frame = split.frame; frame != nullptr;) {
    Frame* const caller = frame->caller;
    frame->lanes &= ~mask;
    if (frame->lanes == 0) release_frame(frame);
    frame = caller;
  }
  split.mask &= ~mask;
  if (split.mask == 0) remove_split(split);
  // Parked splits may have waited only for these lanes.
  if (warp.split_count > 0) release_synced();
  if (context_.block->live_threads > 0) barriers_.check_barriers_after_exit();
  barriers_.try_complete_cluster();
}

}  // namespace ridge::machine
