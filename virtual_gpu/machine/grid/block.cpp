// Starts a block and runs slices of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include "virtual_gpu/machine/core.h"

namespace ridge::machine {
namespace {

// The initial content of shared memory: NaN as a float, -1 as an int, so that a missing store is
// visible.
constexpr int kUnwritten = 0xff;
// A block that only computes is suspended after this many rounds, in case it waits for another in a
// way that is not detected.
constexpr int kRoundsPerSlice = 64;

Dim3 index_in(const Dim3& size, uint64_t linear) {
  return {static_cast<uint32_t>(linear % size.x), static_cast<uint32_t>(linear / size.x % size.y),
          static_cast<uint32_t>(linear / size.x / size.y)};
}

// How long this thread was runnable but not scheduled, so that a busy host is not blamed on the
// kernel. 0 where the system does not report it.
double waited_for_processor_s() {
  std::ifstream schedstat("/proc/thread-self/schedstat");
  uint64_t ran_ns = 0, waited_ns = 0;
  if (!(schedstat >> ran_ns >> waited_ns)) return 0;
  return static_cast<double>(waited_ns) * 1e-9;
}
constexpr double kLooksAtWaitingS = 0.1;
// Time without a processor is not counted against the limit, but at most this share of the elapsed
// time, so that every launch ends.
constexpr double kMaxWaitShare = 0.9;

bool can_run(const Warp& warp) {
  for (uint32_t i = 0; i < warp.split_count; ++i) {
    if (warp.splits[i].wait == Wait::none) return true;
  }
  return false;
}

// True when a warp of the block waits for other blocks of the cluster.
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
  const Dim3 &grid = context_.launch.config.grid, &size = context_.launch.cluster;
  const Dim3 at = index_in({grid.x / size.x, grid.y / size.y, grid.z / size.z}, linear);
  cluster.linear = linear;
  cluster.live_threads = context_.launch.threads * context_.launch.cluster_blocks;
  cluster.arrived_threads = 0;
  cluster.barrier_phase = 0;
  cluster.blocks.resize(context_.launch.cluster_blocks);
  for (uint32_t rank = 0; rank < context_.launch.cluster_blocks; ++rank) {
    auto& block = cluster.blocks[rank];
    if (block == nullptr) block = std::make_unique<Block>();
    block->cluster = &cluster;
    block->rank = rank;
    const Dim3 inside = index_in(size, rank);
    begin_block(*block,
                {at.x * size.x + inside.x, at.y * size.y + inside.y, at.z * size.z + inside.z});
  }
}

void Core::begin_block(Block& block, Dim3 index) {
  context_.block = context_.owner = &block;
  block.index = index;
  block.linear = index.x + context_.launch.config.grid.x *
                               (index.y + uint64_t{context_.launch.config.grid.y} * index.z);
  block.live_threads = context_.launch.threads;
  block.exited_threads = 0;
  for (Barrier& barrier : block.barriers) {
    if (barrier.was_used()) barrier = Barrier{};
  }
  block.bulk.clear();
  block.mbarrier_phases.clear();
  block.stores.clear();
  block.has_async_arrivals = false;
  block.warps.resize(context_.launch.warps);
  if (block.shared == nullptr) block.shared = allocate_aligned(context_.launch.shared_bytes);
  std::memset(block.shared.get(), kUnwritten, context_.launch.shared_bytes);
  std::memset(block.shared.get(), 0, context_.program.info.reserved_shared_bytes);
  for (uint32_t i = 0; i < context_.launch.warps; ++i)
    begin_warp(block.warps[i], i);
  if (context_.observer == nullptr) return;
  context_.observer->block_begin(block.linear);
  if (const uint32_t reserved = context_.program.info.reserved_shared_bytes; reserved != 0) {
    const BulkAccess::Run run{0, reserved};  // initialised by the system
    context_.observer->bulk_access({context_.program.functions[0].first, AccessSpace::shared,
                                    AccessKind::store, block.linear, 0, 1, block.linear,
                                    std::span(&run, 1)});
  }
}

void Core::begin_warp(Warp& warp, uint32_t index) {
  context_.warp = &warp;
  const uint32_t threads = std::min<uint32_t>(kLanes, context_.launch.threads - index * kLanes);
  warp.index = index;
  warp.live = threads == kLanes ? kAllLanes : (1u << threads) - 1;
  warp.copies.clear();
  warp.is_stepped = false;
  warp.committed_groups.fill(0);
  warp.exits.clear();
  warp.arrivals.clear();
  warp.last_group_wait = kNoGroupWait;
  warp.waits_passed = 0;
  warp.passed_waits.clear();
  warp.repeated_wait.reset();
  warp.waited_groups.fill(0);
  warp.next_copy = warp.syncs = warp.took_work_in = 0;
  warp.cluster_arrived = warp.cluster_open = warp.mbarrier_waiting = 0;
  warp.warpgroup.reset();
  warp.split_count = 1;
  warp.splits[0] = Split{};
  warp.splits[0].frame = activate(0, nullptr, 0, warp.live);
  warp.splits[0].pc = context_.program.functions[0].first;
  warp.splits[0].mask = warp.live;
}

void Core::check_limits() {
  const LaunchConfig& config = context_.launch.config;
  const auto end = [&](const std::string& what, const std::string& advice, FaultCause cause) {
    context_.fault(Fault::Kind::time_limit, first_waiting(*context_.block), what, advice, std::move(cause));
  };
  if (config.stop != nullptr && config.stop->load(std::memory_order_relaxed))
    end("Stopped: the launch was ended from outside; it was at \x01", "run it again", {"stopped", {}});
  const double elapsed_s = static_cast<double>(context_.launch.elapsed_ns()) * 1e-9;
  // Short launches are frequent: do not read the file for them.
  if (config.time_limit_s > 0 && elapsed_s > kLooksAtWaitingS && waited_before_s_ < 0)
    waited_before_s_ = waited_for_processor_s();
  if (config.time_limit_s > 0 && elapsed_s > config.time_limit_s &&
      elapsed_s - std::min(waited_for_processor_s() - std::max(waited_before_s_, 0.0),
                           kMaxWaitShare * elapsed_s) > config.time_limit_s) {
    const uint64_t done = context_.launch.finished_blocks.load(std::memory_order_relaxed);
    // If no block has ended for half of that time, the running ones do not end.
    const double idle_s =
        elapsed_s - static_cast<double>(context_.launch.last_finished_ns.load(std::memory_order_relaxed)) * 1e-9;
    const bool goes_on = done > 0 && idle_s < elapsed_s / 2;
    const FaultCause cause{goes_on ? "too_much_work" : "endless",
                           {{"seconds", fmt::format("{:g}", config.time_limit_s)},
                            {"done", std::to_string(done)},
                            {"blocks", std::to_string(context_.launch.blocks)}}};
    end(fmt::format("Time limit: the kernel has run for {} s, and {} of its {} blocks have ended; one of the "
                    "places where it was is \x01",
                    config.time_limit_s, done, context_.launch.blocks),
        goes_on ? "blocks do end, so the kernel does too much work: look for a loop that repeats work of other "
                   "threads or blocks, and for a grid that is too large"
                 : "look for a loop that never ends there, or whose bounds are far too large",
        cause);
  }
}

// Runs a slice of each block that has not ended.
SliceOutcome Core::run_cluster_slice(Cluster& cluster) {
  if (cluster.blocks.size() == 1) return run_block(*cluster.blocks.front());
  bool any_progress = false, any_can_run = false;
  for (const auto& block : cluster.blocks) {
    if (block->live_threads == 0) continue;
    const SliceOutcome end = run_block(*block);
    if (end == SliceOutcome::stopped) return end;
    any_progress |= context_.made_progress;
  }
  if (cluster.live_threads == 0) return SliceOutcome::finished;
  for (const auto& block : cluster.blocks)
    any_can_run |= std::any_of(block->warps.begin(), block->warps.end(), can_run);
  if (!any_can_run) {
    const auto stuck = std::find_if(cluster.blocks.begin(), cluster.blocks.end(),
                                    [](const auto& block) { return block->live_threads > 0; });
    context_.block = context_.owner = stuck->get();
    report_stuck();
  }
  context_.made_progress = any_progress;
  return SliceOutcome::waiting;
}

SliceOutcome Core::run_block(Block& block) {
  context_.block = context_.owner = &block;
  caches_.enter_block();
  context_.made_progress = context_.has_looked = context_.has_signalled = false;
  bool any_progress = false;
  SliceOutcome end = SliceOutcome::waiting;
  for (int round = 0; round < kRoundsPerSlice; ++round) {
    if (context_.launch.stop.load(std::memory_order_relaxed) ||
        block.cluster->linear > context_.launch.fault_cluster.load(std::memory_order_relaxed)) {
      return SliceOutcome::stopped;
    }
    bool any_ran = false, any_busy = false;
    context_.made_progress = false;
    for (Warp& warp : block.warps) {
      if (!can_run(warp)) continue;
      any_ran = true;
      context_.warp = &warp;
      any_busy |= run_slice() == SliceEnd::busy;
    }
    any_progress |= context_.made_progress || any_busy;
    if (block.live_threads == 0) {
      copies_.end_block(block);
      matrix_.compare_warpgroups(block);
      end = SliceOutcome::finished;
      break;
    }
    // There is nothing else to do: complete the copies in flight.
    if (!any_busy && !context_.made_progress && !context_.slice_is_over)
      copies_.land_all_copies(block);
    if (!any_ran && !context_.made_progress) {
      if (waits_for_cluster(block)) break;
      report_stuck();
    }
    check_limits();
    if (context_.slice_is_over) break;
    if (any_busy || context_.made_progress) {
      context_.launch.last_progress_ns.store(context_.launch.elapsed_ns(),
                                             std::memory_order_relaxed);
      continue;
    }
    if (std::none_of(block.warps.begin(), block.warps.end(), can_run) && !waits_for_cluster(block))
      report_stuck();
    context_.ends_waiting = true;
    break;  // every thread that can run only polls
  }
  context_.made_progress = any_progress;
  if (end == SliceOutcome::finished && context_.observer != nullptr)
    context_.observer->block_end(block.linear);
  return end;
}

}  // namespace ridge::machine
