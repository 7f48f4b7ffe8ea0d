// A block: how it begins, and a turn of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

// What shared memory holds before anybody writes it: NaN as a float, -1 as an int, so that a forgotten store
// shows.
constexpr int kUnwritten = 0xff;
// A block that only computes is set aside after so many rounds, in case it waits for another in a way we do
// not see.
constexpr int kRoundsInTurn = 64;

Dim3 index_in(const Dim3& size, uint64_t linear) {
  return {static_cast<uint32_t>(linear % size.x), static_cast<uint32_t>(linear / size.x % size.y),
          static_cast<uint32_t>(linear / size.x / size.y)};
}

// How long this thread could have run and was not let: a busy host is not the kernel's fault. 0 where the
// kernel does not say.
double waited_for_processor_s() {
  std::ifstream schedstat("/proc/thread-self/schedstat");
  uint64_t ran_ns = 0, waited_ns = 0;
  if (!(schedstat >> ran_ns >> waited_ns)) return 0;
  return static_cast<double>(waited_ns) * 1e-9;
}
constexpr double kMostWaited = 0.9;  // of the time that passed: the launch ends some day

bool can_run(const Warp& warp) {
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    if (warp.splits[i].wait == Wait::none) return true;
  }
  return false;
}

// Somebody there waits for the other blocks of the cluster.
bool waits_for_cluster(const Block& block) {
  if (block.cluster->live_threads == block.live_threads) return false;
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.split_count; ++i) {
      if (warp.splits[i].wait == Wait::cluster_barrier) return true;
    }
  }
  return false;
}

}  // namespace

void Core::begin_cluster(Cluster& cluster, uint64_t linear) {
  const Dim3 &grid = launch_.config.grid, &size = launch_.cluster;
  const Dim3 at = index_in({grid.x / size.x, grid.y / size.y, grid.z / size.z}, linear);
  cluster.linear = linear;
  cluster.live_threads = launch_.threads * launch_.cluster_blocks;
  cluster.arrived_threads = 0;
  cluster.barrier_phase = 0;
  cluster.blocks.resize(launch_.cluster_blocks);
  for (uint32_t rank = 0; rank < launch_.cluster_blocks; ++rank) {
    auto& block = cluster.blocks[rank];
    if (block == nullptr) block = std::make_unique<Block>();
    block->cluster = &cluster;
    block->rank = rank;
    const Dim3 inside = index_in(size, rank);
    begin_block(*block, {at.x * size.x + inside.x, at.y * size.y + inside.y, at.z * size.z + inside.z});
  }
}

void Core::begin_block(Block& block, Dim3 index) {
  block_ = owner_ = &block;
  block.index = index;
  block.linear = index.x + launch_.config.grid.x * (index.y + uint64_t{launch_.config.grid.y} * index.z);
  block.live_threads = launch_.threads;
  block.exited_threads = 0;
  block.undefined_use.reset();
  block.barriers.fill(Barrier{});
  block.bulk.clear();
  block.mbarrier_phases.clear();
  block.stores.clear();
  block.has_async_arrivals = false;
  block.warps.resize(launch_.warps);
  if (block.shared == nullptr) block.shared = allocate_aligned(launch_.shared_bytes);
  std::memset(block.shared.get(), kUnwritten, launch_.shared_bytes);
  std::memset(block.shared.get(), 0, program_.info.reserved_shared_bytes);
  for (uint32_t i = 0; i < launch_.warps; ++i)
    begin_warp(block.warps[i], i);
  if (observer_ == nullptr) return;
  observer_->block_begin(block.linear);
  if (const uint32_t reserved = program_.info.reserved_shared_bytes; reserved != 0) {
    const BulkAccess::Run run{0, reserved};  // the system has written it
    observer_->bulk_access({program_.functions[0].first, AccessSpace::shared, AccessKind::store, block.linear,
                            0, 1, block.linear, std::span(&run, 1)});
  }
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
  warp.arrivals.clear();
  warp.waited_groups.fill(0);
  warp.next_copy = warp.syncs = 0;
  warp.cluster_arrived = warp.cluster_open = warp.mbarrier_waiting = 0;
  warp.warpgroup.reset();
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
  const double elapsed_s = static_cast<double>(launch_.elapsed_ns()) * 1e-9;
  if (config.time_limit_s > 0 && elapsed_s > config.time_limit_s &&
      elapsed_s - std::min(waited_for_processor_s(), kMostWaited * elapsed_s) > config.time_limit_s) {
    end(fmt::format("Time limit: the kernel has run for {} s; one of the places where it was is \x01",
                    config.time_limit_s),
        "look for a loop that never ends there, or give it a smaller problem");
  }
}

// A turn of each block that has not ended.
TurnEnd Core::run_turn(Cluster& cluster) {
  if (cluster.blocks.size() == 1) return run_block(*cluster.blocks.front());
  bool any_progress = false, any_can_run = false;
  for (const auto& block : cluster.blocks) {
    if (block->live_threads == 0) continue;
    const TurnEnd end = run_block(*block);
    if (end == TurnEnd::stopped) return end;
    any_progress |= made_progress_;
  }
  if (cluster.live_threads == 0) return TurnEnd::finished;
  for (const auto& block : cluster.blocks)
    any_can_run |= std::any_of(block->warps.begin(), block->warps.end(), can_run);
  if (!any_can_run) {
    const auto stuck = std::find_if(cluster.blocks.begin(), cluster.blocks.end(),
                                    [](const auto& block) { return block->live_threads > 0; });
    block_ = owner_ = stuck->get();
    report_stuck();
  }
  made_progress_ = any_progress;
  return TurnEnd::waiting;
}

void Core::find_read_log() {
  ReadLog* const log = observer_ == nullptr ? nullptr : observer_->read_log(block_->linear);
  read_log_ = log == nullptr ? &no_log_ : log;
}

TurnEnd Core::run_block(Block& block) {
  block_ = owner_ = &block;
  find_read_log();
  made_progress_ = false;
  bool any_progress = false;
  TurnEnd end = TurnEnd::waiting;
  for (int round = 0; round < kRoundsInTurn; ++round) {
    if (launch_.stop.load(std::memory_order_relaxed) ||
        block.cluster->linear > launch_.fault_cluster.load(std::memory_order_relaxed)) {
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
      compare_warpgroups(block);
      end = TurnEnd::finished;
      break;
    }
    // Nothing else to do than to wait: the copies under way arrive.
    if (!any_busy && !made_progress_) land_all_copies(block);
    if (!any_ran && !made_progress_) {
      if (waits_for_cluster(block)) break;
      report_stuck();
    }
    check_limits();
    if (any_busy || made_progress_)
      launch_.last_progress_ns.store(launch_.elapsed_ns(), std::memory_order_relaxed);
    else if (std::none_of(block.warps.begin(), block.warps.end(), can_run) && !waits_for_cluster(block))
      report_stuck();
    else
      break;  // all that can run only polls
  }
  made_progress_ = any_progress;
  if (end == TurnEnd::finished && block.undefined_use) throw LaunchFault{*block.undefined_use};
  if (end == TurnEnd::finished && observer_ != nullptr) observer_->block_end(block.linear);
  return end;
}

}  // namespace ridge::machine
