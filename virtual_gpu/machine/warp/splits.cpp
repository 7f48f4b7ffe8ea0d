// The splits of a warp: who runs, who joins whom.
#include <algorithm>
#include <bit>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {

// Smaller runs first: fewest turns given up, then the deepest call, then the earliest block.
uint64_t Core::key_of(const Split& split) const {
  const uint64_t depth = split.frame->depth;
  return uint64_t{split.penalty} << 48 | (0xffff - depth) << 32 | program_.rank[split.pc];
}

// Joins splits that stand at the same place and names the one to run; nullptr when all are parked.
Split* Core::choose() {
  Warp& warp = *warp_;
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
  watch_key_ = ~0ull;
  uint32_t least_penalty = ~0u, most_penalty = 0;
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    Split& split = warp.splits[i];
    if (split.wait != Wait::none) continue;
    least_penalty = std::min(least_penalty, split.penalty);
    most_penalty = std::max(most_penalty, split.penalty);
    const uint64_t key = key_of(split);
    if (key < best_key) {
      watch_key_ = best_key;
      best_key = key;
      best = &split;
    } else {
      watch_key_ = std::min(watch_key_, key);
    }
  }
  rotating_ = most_penalty > 0;
  if (best != nullptr && least_penalty > 0) {
    yield_now_ = true;  // every split has given up a turn: the next warp's turn, after one more try
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      Split& split = warp.splits[i];
      split.penalty -= std::min(split.penalty, least_penalty);
    }
    return choose();
  }
  return best;
}

Split& Core::add_split(const Split& like, uint32_t pc, uint32_t mask) {
  Split& split = warp_->splits[warp_->split_count++];
  split = like;
  split.pc = pc;
  split.mask = mask;
  split.wait = Wait::none;
  split.sync_passed = false;
  return split;
}

void Core::remove_split(Split& split) {
  split = warp_->splits[--warp_->split_count];
}

// Lets the other splits of the warp, and then the other warps, go first.
void Core::rotate(Split& split) {
  if (warp_->split_count > 1) {
    ++split.penalty;
    rotating_ = true;
    slice_budget_ -= 16;
  } else {
    yield_now_ = true;
  }
}

void Core::exit_lanes(Split& split, uint32_t mask) {
  Warp& warp = *warp_;
  const uint32_t count = static_cast<uint32_t>(std::popcount(mask));
  warp.live &= ~mask;
  warp.exits.push_back({mask, pc_});
  block_->live_threads -= count;
  block_->exited_threads += count;
  Cluster& cluster = *block_->cluster;
  cluster.live_threads -= count;
  cluster.arrived_threads -= static_cast<uint32_t>(std::popcount(mask & warp.cluster_arrived));
  warp.cluster_arrived &= ~mask;
  made_progress_ = true;
  for (Frame* frame = split.frame; frame != nullptr;) {
    Frame* const caller = frame->caller;
    frame->lanes &= ~mask;
    if (frame->lanes == 0) release_frame(frame);
    frame = caller;
  }
  split.mask &= ~mask;
  if (split.mask == 0) remove_split(split);
  // Those who wait may have waited for these lanes only.
  if (warp.split_count > 0) release_synced();
  if (block_->live_threads > 0) check_barriers_after_exit();
  try_complete_cluster();
}

}  // namespace ridge::machine
