// A grid, run to its end: blocks are handed to host threads in order, and a block stays with the thread it
// began on.
#include "virtual_gpu/machine/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/fault_text.h"

namespace ridge::machine {
namespace {

constexpr uint32_t kMaxSharedBytes = 227 * 1024;
constexpr uint32_t kThreadsPerMultiprocessor = 2048;
constexpr uint32_t kBlocksPerMultiprocessor = 32;
constexpr uint32_t kSharedPerMultiprocessor = 228 * 1024;
constexpr int kPlacesInDeadlock = 8;

class Grid {
 public:
  explicit Grid(Launch& launch) : launch_(launch) {}

  void run(ObserverFactory* observers) {
    const uint64_t wanted = launch_.config.host_threads != 0
                                ? launch_.config.host_threads
                                : std::max(1u, std::thread::hardware_concurrency());
    const auto count = static_cast<size_t>(std::min(wanted, launch_.blocks));
    std::vector<std::unique_ptr<Observer>> made(count);
    for (auto& observer : made) {
      if (observers != nullptr) observer = observers->make(launch_.program);
    }
    // Blocks spread unevenly over the host threads: one of them may come to hold all of a cooperative grid.
    limit_ = launch_.config.cooperative ? launch_.blocks : (resident_blocks() + count - 1) / count;
    std::vector<std::thread> threads;
    for (size_t i = 1; i < count; ++i)
      threads.emplace_back([this, &made, i] { work(made[i].get()); });
    work(made[0].get());
    for (std::thread& thread : threads)
      thread.join();
    for (auto& observer : made) {
      if (observers != nullptr) observers->collect(std::move(observer));
    }
    if (fault_ || observers == nullptr) return;
    if (const auto late = observers->verdict()) fault_ = late_fault(launch_, late->block, late->fault);
  }

  LaunchOutcome outcome() { return {std::move(fault_), warp_instructions_.load()}; }

 private:
  // As many as the device would hold: what waits for a block that a GPU would not have started yet waits
  // there, too.
  uint64_t resident_blocks() const {
    uint32_t fit = std::min(kBlocksPerMultiprocessor, kThreadsPerMultiprocessor / launch_.threads);
    fit = std::min(fit, kSharedPerMultiprocessor / (launch_.shared_bytes + 1024));
    return uint64_t{std::max(1u, fit)} * std::max(1u, launch_.config.multiprocessors);
  }

  void work(Observer* observer) {
    try {
      Core core(launch_, observer);
      run_blocks(core);
      warp_instructions_ += core.warp_instructions();
    } catch (const std::exception& error) {
      record(0, Fault{Fault::Kind::invalid_launch,
                      std::string("the virtual GPU failed: ") + error.what(),
                      {},
                      0,
                      0,
                      {},
                      {}});
    }
  }

  void run_blocks(Core& core) {
    std::deque<std::unique_ptr<Block>> waiting;
    std::unique_ptr<Block> spare;
    bool resume_next = false;
    while (!launch_.stop.load(std::memory_order_relaxed)) {
      // One that waits and one that is new take turns: what it waits for may be in a block that has not
      // begun.
      const bool may_begin = waiting.size() < limit_ || waiting.empty();
      std::unique_ptr<Block> block;
      if (may_begin && !(resume_next && !waiting.empty())) block = begin_next(core, std::move(spare));
      if (block == nullptr && waiting.empty()) return;
      if (block == nullptr) {
        block = std::move(waiting.front());
        waiting.pop_front();
      }
      resume_next = !resume_next;
      if (take_turn(core, *block) == TurnEnd::finished) {
        spare = std::move(block);
        continue;
      }
      if (block->linear >= launch_.fault_block.load()) continue;
      if (!core.made_progress()) {
        // A block before the one that failed, which may be waiting for it: nobody will come.
        if (launch_.fault_block.load() != ~0ull) continue;
        report_deadlock(core, *block, waiting);
        std::this_thread::yield();
      }
      waiting.push_back(std::move(block));
    }
  }

  std::unique_ptr<Block> begin_next(Core& core, std::unique_ptr<Block> spare) {
    if (next_block_.load(std::memory_order_relaxed) >= launch_.blocks || launch_.fault_block.load() != ~0ull)
      return nullptr;
    const uint64_t linear = next_block_.fetch_add(1);
    if (linear >= launch_.blocks) return nullptr;
    std::unique_ptr<Block> block = spare != nullptr ? std::move(spare) : std::make_unique<Block>();
    core.begin_block(*block, linear);
    return block;
  }

  TurnEnd take_turn(Core& core, Block& block) {
    try {
      return core.run_turn(block);
    } catch (LaunchFault& caught) {
      if (caught.fault.kind == Fault::Kind::time_limit) launch_.stop = true;
      record(block.linear, std::move(caught.fault));
      return TurnEnd::stopped;
    } catch (const ObservedFault& seen) {
      record(block.linear, core.observed_fault(block, seen));
      return TurnEnd::stopped;
    }
  }

  void report_deadlock(const Core& core, const Block& block,
                       const std::deque<std::unique_ptr<Block>>& waiting) {
    const double quiet_s = static_cast<double>(launch_.elapsed_ns() - launch_.last_progress_ns.load()) * 1e-9;
    if (quiet_s < launch_.config.deadlock_after_s) return;
    if (launch_.config.may_be_helped && launch_.config.may_be_helped()) {
      launch_.last_progress_ns = launch_.elapsed_ns();
      return;
    }
    std::string places;
    int lines_left = kPlacesInDeadlock;
    core.describe_waiting(block, places, lines_left);
    for (const auto& other : waiting)
      core.describe_waiting(*other, places, lines_left);
    try {
      core.fault(
          Fault::Kind::deadlock, core.first_waiting(block),
          fmt::format(
              "Deadlock: for {:.1f} s every thread has been waiting for something that no other thread does; "
              "one of them is \x01",
              quiet_s),
          "find who should set what they wait for; a lock that the lanes of one warp fight for, or blocks "
          "that wait for "
          "blocks that have not started, are the usual causes");
    } catch (LaunchFault& made) {
      launch_.stop = true;
      made.fault.message += "\n  who waits where:" + places;
      record(block.linear, std::move(made.fault));
    }
  }

  void record(uint64_t block, Fault fault) {
    const std::lock_guard lock(mutex_);
    if (fault_ && block >= launch_.fault_block.load()) return;
    fault_ = std::move(fault);
    launch_.fault_block = block;
  }

  Launch& launch_;
  uint64_t limit_ = 1;
  std::atomic<uint64_t> next_block_{0};
  std::atomic<uint64_t> warp_instructions_{0};
  std::mutex mutex_;
  std::optional<Fault> fault_;
};

// A sentence on what is wrong with the launch, or nothing.
std::string launch_error(const KernelInfo& kernel, const LaunchConfig& config) {
  const auto threads = uint64_t{config.block.x} * config.block.y * config.block.z;
  const auto empty = [](const Dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (empty(config.grid) || empty(config.block)) {
    return fmt::format(
        "the launch has no threads: grid {}, block {}. Every dimension is at least 1; for an empty problem, "
        "do not launch",
        dim_text(config.grid), dim_text(config.block));
  }
  if (threads > kernel.max_threads_per_block || config.block.z > 64) {
    return fmt::format(
        "a block of {} has {} threads, and this kernel allows {}. Make the block smaller, or raise "
        "__launch_bounds__",
        dim_text(config.block), threads, kernel.max_threads_per_block);
  }
  if (config.grid.y > 65535 || config.grid.z > 65535 || config.grid.x > 0x7fffffffu) {
    return fmt::format(
        "a grid of {} is too large: x goes to 2147483647, y and z to 65535. Put the large dimension in x",
        dim_text(config.grid));
  }
  const uint64_t shared = uint64_t{kernel.static_shared_bytes} + config.dynamic_shared_bytes;
  if (shared > kMaxSharedBytes) {
    return fmt::format("a block asks for {} bytes of shared memory, and there are {}. Use smaller tiles",
                       shared, kMaxSharedBytes);
  }
  if (config.parameters.size() < kernel.parameter_bytes) {
    return fmt::format("the launch passes {} bytes of parameters, and the kernel takes {}",
                       config.parameters.size(), kernel.parameter_bytes);
  }
  const bool clusters = uint64_t{config.cluster.x} * config.cluster.y * config.cluster.z > 1 ||
                        uint64_t{kernel.required_cluster[0]} * std::max(1u, kernel.required_cluster[1]) *
                                std::max(1u, kernel.required_cluster[2]) >
                            1;
  if (clusters) {
    return "the virtual GPU does not execute thread block clusters yet. Run this kernel on a GPU, or launch "
           "it without clusters";
  }
  return {};
}

}  // namespace

LaunchOutcome run(const Program& program, const LaunchConfig& config, DeviceMemory& memory,
                  ObserverFactory* observers) {
  if (const std::string error = launch_error(program.info, config); !error.empty()) {
    return {Fault{Fault::Kind::invalid_launch,
                  "Invalid launch of " + demangled(program.info.name) + ": " + error + ".",
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
  Grid grid(launch);
  grid.run(observers);
  return grid.outcome();
}

}  // namespace ridge::machine
