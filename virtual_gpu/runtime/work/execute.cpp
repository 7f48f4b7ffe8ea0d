#include "virtual_gpu/runtime/work/execute.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

#include "text/demangled.h"
#include "virtual_gpu/runtime/work/child_grids.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/fault_status.h"
#include "virtual_gpu/runtime/process/outside_help.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/launch_recorder.h"

namespace ridge::runtime {
namespace {

machine::Dim3 to_machine(const dim3& d) {
  return {d.x, d.y, d.z};
}

// A device can access its own memory, memory that the host can access, and the memory of enabled
// peers.
uint64_t reachable_arenas(const Device& device) {
  const size_t devices = process().devices.size();
  if (devices == 1) return ~uint64_t{0};
  return uint64_t{1} << devices | uint64_t{1} << device.ordinal | device.peers |
         device.pool_peers;
}

machine::LaunchConfig machine_config(const LaunchRequest& request, Device& device) {
  const Settings& settings = process().settings;
  machine::LaunchConfig config;
  config.grid = to_machine(request.grid);
  config.block = to_machine(request.block);
  config.cluster = request.cluster.x == 0 ? machine::Dim3{} : to_machine(request.cluster);
  config.dynamic_shared_bytes = static_cast<uint32_t>(request.dynamic_shared_bytes);
  config.parameters = request.parameters;
  config.cooperative = request.cooperative;
  config.host_threads =
      settings.host_threads ? settings.host_threads : std::max(1u, std::thread::hardware_concurrency());
  config.multiprocessors = device.description->multiprocessors;
  config.time_limit_s = settings.time_limit_s;
  config.order_seed = settings.order_seed;
  config.bounds_checks = settings.checks.contains("bounds");
  if (!settings.checks.contains("deadlock"))
    config.deadlock_after_s = std::numeric_limits<double>::infinity();
  config.barrier_checks = settings.checks.contains("barrier");
  // Barriers of the block count exited threads as arrived (PTX ISA, exit). In a graded lab this is
  // still reported, because it is rarely intended.
  config.exited_threads_pass_barriers = !config.barrier_checks || !settings.graded;
  config.checks_copies_at_exit = settings.graded;
  config.print = [&device](std::string_view text) {
    device.prints.add(text, limit_of(device, cudaLimitPrintfFifoSize));
  };
  config.stop = &device.stop;
  config.arena = static_cast<unsigned>(device.ordinal);
  config.reachable_arenas = reachable_arenas(device);
  config.device = device.description;
  config.heap_bytes = limit_of(device, cudaLimitMallocHeapSize);
  config.heap_in_use = &device.heap_in_use;
  config.textures = &process().textures;
  return config;
}

// The bytes in which cooperative_groups' grid barrier counts; zero when the grid begins.
class GridWorkspace {
 public:
  GridWorkspace(bool wanted, unsigned arena) {
    if (!wanted) return;
    address_ = process()
                   .memory.allocate(kBytes, "the grid's barrier (cooperative launch)", false, arena)
                   .value_or(0);
    if (address_ == 0) return;
    std::memset(reinterpret_cast<void*>(address_), 0, kBytes);
    process().memory.record_written(address_, kBytes);
  }
  ~GridWorkspace() {
    if (address_ != 0) process().memory.release(address_);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  uint64_t address() const { return address_; }

 private:
  static constexpr uint64_t kBytes = 256;
  uint64_t address_ = 0;
};

cudaError_t execute_alone(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                          ChildGrids& children) {
  device.was_used = true;
  machine::LaunchConfig config = machine_config(request, device);
  // A grade must not depend on how busy the host is: blocks that wait for each other are counted on
  // one host thread, where they take turns in a fixed order.
  if (process().settings.graded && process().profiler_range != 0 &&
      machine::may_poll_memory(*kernel.program))
    config.host_threads = 1;
  config.children = &children;
  const DeviceWork open(process().host_guard);
  GridWorkspace workspace(request.cooperative, config.arena);
  config.grid_workspace = workspace.address();
  RunningLaunch running(text::demangled(request.kernel->name), device);
  config.outside = &running;
  LaunchRecorder recorder(request, kernel, device, config);
  auto begin = std::chrono::steady_clock::now();
  machine::LaunchOutcome outcome =
      machine::run(*kernel.program, config, process().memory, recorder.observers());
  std::chrono::duration<double> host_time = std::chrono::steady_clock::now() - begin;
  recorder.finish(outcome, host_time.count());

  if (running.was_abandoned()) device.fault = cudaErrorLaunchFailure;
  for (auto& one : outcome.deferred)
    process().undefined_results.add(
        process().memory, one.address,
        {std::move(one.fault), std::move(one.history), text::demangled(request.kernel->name)});
  if (!outcome.fault) return cudaSuccess;
  record_fault();
  if (!process().settings.graded) print_fault(outcome.fault->message);
  cudaError_t code = code_for(outcome.fault->kind);
  // An error that only this machine has is not sticky: a GPU would have continued.
  if (outcome.fault->kind == machine::Fault::Kind::invalid_launch ||
      outcome.fault->kind == machine::Fault::Kind::unknown_instruction) {
    return code;
  }
  device.fault = code;
  return cudaSuccess;
}

}  // namespace

cudaError_t code_for(machine::Fault::Kind kind) {
  using Kind = machine::Fault::Kind;
  switch (kind) {
    case Kind::out_of_bounds:
      return cudaErrorIllegalAddress;
    case Kind::misaligned:
      return cudaErrorMisalignedAddress;
    case Kind::assertion:
      return cudaErrorAssert;
    case Kind::deadlock:
    case Kind::time_limit:
      return cudaErrorLaunchTimeout;
    case Kind::unknown_instruction:
      return cudaErrorIllegalInstruction;
    case Kind::invalid_launch:
      return cudaErrorInvalidValue;
    case Kind::barrier:
    case Kind::trap:
    case Kind::uninitialised:
    case Kind::race:
    case Kind::internal:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

cudaError_t execute(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                    unsigned depth) {
  if (device.fault != cudaSuccess) return cudaSuccess;  // a captured launch after a failed one
  ChildGrids children(*request.kernel->binary, device, depth);
  const cudaError_t error = execute_alone(request, kernel, device, children);
  return error != cudaSuccess || device.fault != cudaSuccess ? error : children.execute_all();
}

}  // namespace ridge::runtime
