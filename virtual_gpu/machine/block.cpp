// A block: how it begins, and a turn of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

// What shared memory holds before anybody writes it: NaN as a float, -1 as an int, so that a forgotten store
// shows.
constexpr int kUnwritten = 0xff;
// A block that only computes is set aside after so many rounds, in case it waits for another in a way we do
// not see.
constexpr int kRoundsInTurn = 64;

Dim3 block_index(const Dim3& grid, uint64_t linear) {
  return {static_cast<uint32_t>(linear % grid.x), static_cast<uint32_t>(linear / grid.x % grid.y),
          static_cast<uint32_t>(linear / grid.x / grid.y)};
}

bool can_run(const Warp& warp) {
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    if (warp.splits[i].wait == Wait::none) return true;
  }
  return false;
}

}  // namespace

void Core::begin_block(Block& block, uint64_t linear) {
  block_ = &block;
  block.linear = linear;
  block.index = block_index(launch_.config.grid, linear);
  block.live_threads = launch_.threads;
  block.exited_threads = 0;
  block.barriers.fill(Barrier{});
  block.bulk.clear();
  block.warps.resize(launch_.warps);
  if (block.shared == nullptr) block.shared = allocate_aligned(launch_.shared_bytes);
  std::memset(block.shared.get(), kUnwritten, launch_.shared_bytes);
  for (uint32_t i = 0; i < launch_.warps; ++i)
    begin_warp(block.warps[i], i);
  if (observer_ != nullptr) observer_->block_begin(linear);
}

void Core::begin_warp(Warp& warp, uint32_t index) {
  warp_ = &warp;
  const uint32_t threads = std::min<uint32_t>(kLanes, launch_.threads - index * kLanes);
  warp.index = index;
  warp.live = threads == kLanes ? kAllLanes : (1u << threads) - 1;
  warp.copies.clear();
  warp.poison.clear();
  warp.committed_groups.fill(0);
  warp.exits.clear();
  warp.split_count = 1;
  warp.splits[0] = Split{};
  warp.splits[0].frame = activate(0, nullptr, 0, warp.live);
  warp.splits[0].pc = program_.functions[0].first;
  warp.splits[0].mask = warp.live;
}

void Core::check_limits() const {
  const LaunchConfig& config = launch_.config;
  const auto end = [&](const std::string& what, const std::string& advice) {
    fault(Fault::Kind::time_limit, first_waiting(*block_), what, advice);
  };
  if (config.stop != nullptr && config.stop->load(std::memory_order_relaxed))
    end("Stopped: the launch was ended from outside; it was at \x01", "run it again");
  if (config.time_limit_s > 0 && static_cast<double>(launch_.elapsed_ns()) * 1e-9 > config.time_limit_s) {
    end(fmt::format("Time limit: the kernel has run for {} s; one of the places where it was is \x01",
                    config.time_limit_s),
        "look for a loop that never ends there, or give it a smaller problem");
  }
}

TurnEnd Core::run_turn(Block& block) {
  block_ = &block;
  made_progress_ = false;
  bool any_progress = false;
  TurnEnd end = TurnEnd::waiting;
  for (int round = 0; round < kRoundsInTurn; ++round) {
    if (launch_.stop.load(std::memory_order_relaxed) ||
        block.linear > launch_.fault_block.load(std::memory_order_relaxed)) {
      return TurnEnd::stopped;
    }
    bool any_ran = false, any_busy = false;
    made_progress_ = false;
    for (Warp& warp : block.warps) {
      if (!can_run(warp)) continue;
      any_ran = true;
      warp_ = &warp;
      any_busy |= run_slice() == SliceEnd::busy;
    }
    any_progress |= made_progress_ || any_busy;
    if (block.live_threads == 0) {
      finish_stores(block);
      end = TurnEnd::finished;
      break;
    }
    // Nothing else to do than to wait: the copies under way arrive.
    if (!any_busy && !made_progress_) land_all_copies(block);
    if (!any_ran && !made_progress_) report_stuck();
    check_limits();
    if (any_busy || made_progress_)
      launch_.last_progress_ns.store(launch_.elapsed_ns(), std::memory_order_relaxed);
    else if (std::none_of(block.warps.begin(), block.warps.end(), can_run))
      report_stuck();
    else
      break;  // all that can run only polls
  }
  made_progress_ = any_progress;
  if (end == TurnEnd::finished && observer_ != nullptr) observer_->block_end(block.linear);
  return end;
}

}  // namespace ridge::machine
