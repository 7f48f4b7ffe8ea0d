// Runs a grid to its end: clusters of blocks (usually of one block) are assigned to host threads in
// order, and a cluster stays on its thread.
#include "virtual_gpu/machine/grid/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>

#include "text/demangled.h"
#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/faults/other_launches.h"
#include "virtual_gpu/machine/faults/executing.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/grid/time_slices.h"

namespace ridge::machine {
namespace {

constexpr int kPlacesInDeadlock = 8;
// A launch that polls this long while another device's kernel has failed waits in vain.
constexpr double kAbandonedAfterS = 0.05;
constexpr uint32_t kMaxClusterBlocks = 16;

uint64_t volume(const Dim3& d) {
  return uint64_t{d.x} * d.y * d.z;
}

const warp_model::DeviceDescription& limits_of(const LaunchConfig& config) {
  return config.device != nullptr ? *config.device : warp_model::default_device();
}

class Grid {
 public:
  explicit Grid(Launch& launch) : launch_(launch) {}

  void run(ObserverFactory* observers) {
    const uint64_t wanted = launch_.config.host_threads != 0
                                ? launch_.config.host_threads
                                : std::max(1u, std::thread::hardware_concurrency());
    const auto count = static_cast<size_t>(std::min(wanted, clusters()));
    std::vector<std::unique_ptr<Observer>> made(count);
    for (auto& observer : made) {
      if (observers != nullptr) observer = observers->make(launch_.program);
    }
    // Clusters are distributed unevenly over the host threads: one of them may get all of a
    // cooperative grid.
    const uint64_t resident = (resident_blocks() + launch_.cluster_blocks - 1) / launch_.cluster_blocks;
    limit_ = launch_.config.cooperative ? clusters() : (resident + count - 1) / count;
    idle_at_ = std::vector<std::atomic<uint64_t>>(count);
    for (std::atomic<uint64_t>& idle : idle_at_)
      idle = kBusy;
    std::vector<std::thread> threads;
    for (size_t i = 1; i < count; ++i)
      threads.emplace_back([this, &made, i] { work(made[i].get(), i); });
    work(made[0].get(), 0);
    for (std::thread& thread : threads)
      thread.join();
    for (auto& observer : made) {
      if (observers != nullptr) observers->collect(std::move(observer));
    }
    if (fault_ || observers == nullptr) return;
    if (const auto late = observers->verdict()) fault_ = late_fault(launch_, late->block, late->fault);
    for (const auto& one : observers->deferred())
      deferred_.push_back({late_fault(launch_, one.found.block, one.found.fault), one.address, one.history});
  }

  LaunchOutcome outcome() {
    return {std::move(fault_), warp_instructions_.load(), std::move(deferred_)};
  }

 private:
  uint64_t clusters() const { return launch_.blocks / launch_.cluster_blocks; }

  // As many as fit on the device: a block that waits for one that a GPU would not have started yet
  // also waits there.
  uint64_t resident_blocks() const {
    const warp_model::DeviceDescription& device = limits_of(launch_.config);
    uint32_t fit = std::min(device.max_blocks_per_sm, device.max_threads_per_sm() / launch_.threads);
    const uint32_t shared = launch_.shared_bytes + device.shared_bytes_reserved;
    if (shared != 0) fit = std::min(fit, device.shared_bytes_per_sm / shared);
    return uint64_t{std::max(1u, fit)} * std::max(1u, launch_.config.multiprocessors);
  }

  void work(Observer* observer, size_t worker) {
    try {
      Core core(launch_, observer);
      const ExecutionMark mark(launch_.program, launch_.config, &core.context());
      run_clusters(core, worker);
      idle_at_[worker] = kDone;
      warp_instructions_ += core.warp_instructions();
    } catch (const std::exception& error) {
      idle_at_[worker] = kDone;
      record(0, Fault{Fault::Kind::internal,
                      fmt::format("The virtual GPU failed in {}: {}. This is a defect of the virtual GPU and "
                                  "says nothing about the kernel. Try: report it with the program",
                                  text::demangled(launch_.program.info.name), error.what()),
                      {},
                      0,
                      0,
                      {},
                      {}});
    }
  }

  // True when every host thread has tried all its clusters since the last change and found them
  // waiting. A thread that the host does not schedule has not, however long that takes.
  bool all_are_idle() const {
    const uint64_t now = changes_.load();
    return std::all_of(idle_at_.begin(), idle_at_.end(), [&](const std::atomic<uint64_t>& idle) {
      const uint64_t at = idle.load();
      return at == now || at == kDone;
    });
  }

  void run_clusters(Core& core, size_t worker) {
    std::deque<std::unique_ptr<Cluster>> waiting;
    uint64_t seen = 0;     // value of changes_ at the beginning of the slices below
    size_t fruitless = 0;  // consecutive slices without progress
    std::unique_ptr<Cluster> spare;
    bool resume_next = false;
    TimeSlices slices;
    BlockSequence sequence(launch_.config.order_seed, clusters(), worker);
    while (!launch_.stop.load(std::memory_order_relaxed)) {
      // Alternate between a waiting cluster and a new one: what it waits for may be in a block that
      // has not started.
      const bool may_begin = waiting.size() < limit_ || waiting.empty();
      std::unique_ptr<Cluster> cluster;
      if (may_begin && !(resume_next && !waiting.empty())) cluster = begin_next(core, sequence, std::move(spare));
      if (cluster == nullptr && waiting.empty()) return;
      if (cluster == nullptr) {
        std::swap(waiting.front(), waiting[sequence.goes_on(waiting.size())]);
        cluster = std::move(waiting.front());
        waiting.pop_front();
      }
      resume_next = !resume_next;
      if (const uint64_t now = changes_.load(); now != seen) {
        seen = now;
        fruitless = 0;
      }
      slices.begins(*cluster);
      core.begin_slice(slices.others_wait(), sequence.is_drawn(),
                       clusters() > 1 && slices.must_share_work());
      if (run_until_blocked(core, *cluster) == SliceOutcome::finished) {
        launch_.finished_blocks.fetch_add(launch_.cluster_blocks, std::memory_order_relaxed);
        launch_.last_finished_ns.store(launch_.elapsed_ns(), std::memory_order_relaxed);
        spare = std::move(cluster);
        ++changes_;
        continue;
      }
      if (cluster->linear >= launch_.fault_cluster.load()) continue;
      if (core.made_progress()) {
        ++changes_;
        idle_at_[worker] = kBusy;
      } else {
        if (++fruitless > waiting.size()) idle_at_[worker] = seen;
        // A block before the failed one, which may wait for it in vain.
        if (launch_.fault_cluster.load() != ~0ull) continue;
        report_deadlock(core, *cluster, waiting);
        std::this_thread::yield();
      }
      if (core.shares_work()) {
        slices.work_shared();
        resume_next = false;
      }
      slices.ends(*cluster, core.ends_waiting(), core.slice_is_over() && !core.shares_work(),
                  core.made_progress());
      waiting.push_back(std::move(cluster));
    }
  }

  std::unique_ptr<Cluster> begin_next(Core& core, const BlockSequence& sequence,
                                      std::unique_ptr<Cluster> spare) {
    if (next_cluster_.load(std::memory_order_relaxed) >= clusters() || launch_.fault_cluster.load() != ~0ull)
      return nullptr;
    const uint64_t number = next_cluster_.fetch_add(1);
    if (number >= clusters()) return nullptr;
    const uint64_t linear = sequence.begins(number);
    ++changes_;
    std::unique_ptr<Cluster> cluster = spare != nullptr ? std::move(spare) : std::make_unique<Cluster>();
    try {
      core.begin_cluster(*cluster, linear);
    } catch (LaunchFault& caught) {  // no memory for the local arrays of its threads
      record(linear, std::move(caught.fault));
      return nullptr;
    }
    return cluster;
  }

  SliceOutcome run_until_blocked(Core& core, Cluster& cluster) {
    try {
      return core.run_cluster_slice(cluster);
    } catch (LaunchFault& caught) {
      if (caught.fault.kind == Fault::Kind::time_limit) launch_.stop = true;
      if (const auto cause = core.likely_cause()) caught.fault = *cause;
      record(cluster.linear, std::move(caught.fault));
      return SliceOutcome::stopped;
    } catch (const ObservedFault& seen) {
      record(cluster.linear, core.observed_fault(core.running_block(), seen));
      return SliceOutcome::stopped;
    }
  }

  void report_deadlock(const Core& core, const Cluster& cluster,
                       const std::deque<std::unique_ptr<Cluster>>& waiting) {
    const double stalled_s = static_cast<double>(launch_.elapsed_ns() - launch_.last_progress_ns.load()) * 1e-9;
    OutsideWatch* const outside = launch_.config.outside;
    if (outside != nullptr && stalled_s > kAbandonedAfterS && outside->is_abandoned()) {
      launch_.stop = true;
      return;
    }
    if (stalled_s < launch_.config.deadlock_after_s || !all_are_idle()) return;
    std::string places;
    int lines_left = kPlacesInDeadlock;
    const Block* first = nullptr;
    const auto describe = [&](const Cluster& one) {
      for (const auto& block : one.blocks) {
        if (first == nullptr && block->live_threads > 0) first = block.get();
        core.describe_waiting(*block, places, lines_left);
      }
    };
    describe(cluster);
    for (const auto& other : waiting)
      describe(*other);
    if (outside != nullptr && outside->may_be_helped(places)) {
      launch_.last_progress_ns = launch_.elapsed_ns();
      return;
    }
    if (outside != nullptr) places += outside->others_waiting();
    FaultCause cause{core.waits_for_mbarrier(*first) ? "mbarrier_phase" : "no_progress", {}};
    const std::string before = core.mistake_before_deadlock(*first, cause);
    try {
      core.fault(
          Fault::Kind::deadlock, core.first_waiting(*first),
          fmt::format(
              "Deadlock: for {:.1f} s every thread has been waiting for an action that no other "
              "thread takes; one of them is \x01{}",
              stalled_s, before),
          core.waits_for_mbarrier(*first)
              ? "look below at what each mbarrier still needs: count the threads that arrive, compare the bytes "
                "announced with those of the copies, and the parity with the phase"
              : "find the thread that should set the value they wait for; the usual causes are a "
                "lock for which lanes of one warp compete, and blocks that wait for blocks that "
                "have not started",
          cause);
    } catch (LaunchFault& made) {
      launch_.stop = true;
      made.fault.message += "\n  who waits where:" + places;
      record(cluster.linear, std::move(made.fault));
    }
  }

  void record(uint64_t cluster, Fault fault) {
    const std::lock_guard lock(mutex_);
    if (fault_ && cluster >= launch_.fault_cluster.load()) return;
    fault_ = std::move(fault);
    launch_.fault_cluster = cluster;
  }

  Launch& launch_;
  uint64_t limit_ = 1;
  std::atomic<uint64_t> next_cluster_{0};
  std::atomic<uint64_t> warp_instructions_{0};
  static constexpr uint64_t kBusy = ~uint64_t{0}, kDone = kBusy - 1;
  std::atomic<uint64_t> changes_{0};  // slices with a change
  // By host thread: the value of changes_ at which none of its clusters could continue.
  std::vector<std::atomic<uint64_t>> idle_at_;
  std::mutex mutex_;
  std::optional<Fault> fault_;
  std::vector<DeferredFault> deferred_;
};

// The cluster size of a launch: given explicitly, or compiled into the kernel.
Dim3 cluster_of(const KernelInfo& kernel, const LaunchConfig& config) {
  const uint32_t* required = kernel.required_cluster;
  if (volume(config.cluster) > 1 || required[0] == 0) return config.cluster;
  return {required[0], std::max(1u, required[1]), std::max(1u, required[2])};
}

std::string cluster_error(const KernelInfo& kernel, const LaunchConfig& config) {
  const Dim3 size = cluster_of(kernel, config), &grid = config.grid;
  const uint32_t* required = kernel.required_cluster;
  if (required[0] != 0 &&
      (size.x != required[0] || size.y != std::max(1u, required[1]) || size.z != std::max(1u, required[2]))) {
    return fmt::format(
        "it names clusters of {} blocks, and the kernel was compiled for {} (__cluster_dims__)",
        dim_text(size), dim_text({required[0], required[1], required[2]}));
  }
  const uint64_t blocks = volume(size);
  const uint64_t most = kernel.max_cluster_blocks != 0
                            ? std::min(kernel.max_cluster_blocks, kMaxClusterBlocks)
                            : kMaxClusterBlocks;
  if (blocks == 0 || blocks > most) {
    return fmt::format("a cluster of {} has {} blocks, and 1 to {} are possible", dim_text(size), blocks,
                       most);
  }
  if (grid.x % size.x != 0 || grid.y % size.y != 0 || grid.z % size.z != 0) {
    return fmt::format(
        "a grid of {} blocks cannot be divided into clusters of {}. Round the grid up to whole clusters",
        dim_text(grid), dim_text(size));
  }
  return {};
}

// A sentence on the error in the launch, or nothing.
std::string launch_error(const KernelInfo& kernel, const LaunchConfig& config) {
  const auto threads = uint64_t{config.block.x} * config.block.y * config.block.z;
  const auto empty = [](const Dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (empty(config.grid) || empty(config.block)) {
    return fmt::format(
        "the launch has no threads: grid {}, block {}. Every dimension is at least 1; for an empty problem, "
        "do not launch",
        dim_text(config.grid), dim_text(config.block));
  }
  const warp_model::DeviceDescription& device = limits_of(config);
  if (threads > kernel.max_threads_per_block || config.block.z > device.max_block_z) {
    return fmt::format(
        "a block of {} has {} threads, and this kernel allows {}. Make the block smaller, or raise "
        "__launch_bounds__",
        dim_text(config.block), threads, kernel.max_threads_per_block);
  }
  if (config.grid.y > device.max_grid_y || config.grid.z > device.max_grid_z ||
      config.grid.x > device.max_grid_x) {
    return fmt::format(
        "a grid of {} is too large: x goes to {}, y to {} and z to {}. Put the large dimension in x",
        dim_text(config.grid), device.max_grid_x, device.max_grid_y, device.max_grid_z);
  }
  const uint64_t shared =
      uint64_t{kernel.static_shared_bytes} + config.dynamic_shared_bytes - kernel.reserved_shared_bytes;
  if (shared > device.shared_bytes_per_block_optin) {
    return fmt::format("a block asks for {} bytes of shared memory, and there are {}. Use smaller tiles",
                       shared, device.shared_bytes_per_block_optin);
  }
  if (config.parameters.size() < kernel.parameter_bytes) {
    return fmt::format("the launch passes {} bytes of parameters, and the kernel takes {}",
                       config.parameters.size(), kernel.parameter_bytes);
  }
  return cluster_error(kernel, config);
}

}  // namespace

LaunchOutcome run(const Program& program, const LaunchConfig& config, DeviceMemory& memory,
                  ObserverFactory* observers) {
  if (const std::string error = launch_error(program.info, config); !error.empty()) {
    return {Fault{Fault::Kind::invalid_launch,
                  "Invalid launch of " + text::demangled(program.info.name) + ": " + error + ".",
                  {},
                  0,
                  0,
                  {},
                  {}},
            0};
  }
  Launch launch{program, config, memory};
  launch.threads = config.block.x * config.block.y * config.block.z;
  launch.warps = (launch.threads + kLanes - 1) / kLanes;
  launch.shared_bytes = program.info.static_shared_bytes + config.dynamic_shared_bytes;
  launch.blocks = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  launch.cluster = cluster_of(program.info, config);
  launch.cluster_blocks = static_cast<uint32_t>(volume(launch.cluster));
  launch.is_explicit_cluster = launch.cluster_blocks > 1 || program.info.required_cluster[0] != 0;
  const ExecutionMark mark(program, config);
  Grid grid(launch);
  grid.run(observers);
  return grid.outcome();
}

}  // namespace ridge::machine
