// Makes the observers of a launch that the environment requests.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "text/demangled.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/report/recorder_parts.h"
#include "virtual_gpu/runtime/work/launch_link.h"

namespace ridge::runtime {
namespace {

// RIDGE_CACHES=cold is for comparisons with a profiler, so the simulation may take longer.
constexpr uint64_t kProfilerBudgets = 8;

std::optional<trace::TraceArray> find_array(uint64_t address) {
  std::optional<machine::Allocation> allocation = process().memory.find(address);
  if (!allocation) return std::nullopt;
  return trace::TraceArray{
      allocation->begin, allocation->bytes,
      allocation->made_at.describe(fmt::format("{} #{}", allocation->origin, allocation->serial))};
}

}  // namespace

void LaunchRecorder::Parts::check_accesses() {
  const std::set<std::string>& checks = process().settings.checks;
  observe::CheckOptions wanted{checks.contains("race"), checks.contains("uninitialised")};
  // The harness reads all outputs, and gets the line that stored each of them.
  if (!process().settings.graded) wanted.results = &process().undefined_results;
  if (!wanted.race && !wanted.uninitialised) return;
  checker.emplace(wanted, config, process().memory);
  list.add(*checker);
}

// For a launch that may begin early, or whose successor may.
void LaunchRecorder::Parts::follow_dependence() {
  if (!process().settings.checks.contains("race") || !request.link) return;
  const LaunchState& state = *request.link->state;
  if (!state.before && !state.is_followed) return;
  observe::DependentLaunch::Options options;
  options.kernel = kernel_name();
  options.is_early = state.before != nullptr;
  options.is_followed = state.is_followed;
  if (state.before && state.before->finished)
    options.running = observe::may_be_running_behind(*state.before->finished);
  dependent.emplace(std::move(options), config, process().memory);
  list.add(*dependent);
}

// For a launch whose device may access another's memory, or whose memory others may access.
void LaunchRecorder::Parts::follow_peers() {
  Process& all = process();
  if (!all.peers_are_reachable()) return;
  links.emplace(static_cast<unsigned>(device.ordinal), static_cast<unsigned>(all.devices.size()),
                all.memory);
  list.add(*links);
  link_launch = all.links.begin_launch(static_cast<uint32_t>(device.ordinal));
  const Task* const task = running_task();
  if (!all.settings.checks.contains("race") || !all.peer_shadow || task == nullptr) return;
  observe::PeerTask own;
  own.device = static_cast<unsigned>(device.ordinal);
  own.queue = task->queue->id;
  own.number = task->number;
  own.name = kernel_name();
  own.grid = {request.grid.x, request.grid.y, request.grid.z};
  own.block = {request.block.x, request.block.y, request.block.z};
  peer_races.emplace(*all.peer_shadow, std::move(own), task->order, all.memory);
  list.add(*peer_races);
}

void LaunchRecorder::Parts::make_caches() {
  const warp_model::DeviceDescription& description = *device.description;
  const warp_model::Occupancy resident = occupancy();
  if (resident.blocks_per_sm == 0 || blocks == 0) return;
  shared_carveout_bytes = warp_model::driver_carveout_bytes(
      description, uint64_t{resident.blocks_per_sm} * resident.shared_bytes_allocated_per_block);
  l1_bytes = description.l1_and_shared_bytes -
             std::min(description.l1_and_shared_bytes, shared_carveout_bytes);
  std::lock_guard lock(device.l2_mutex);
  if (!device.l2) device.l2 = std::make_unique<observe::L2Cache>(description.l2_bytes);
  observe::CacheLayout layout;
  layout.blocks = blocks;
  layout.warps_per_block = static_cast<uint32_t>(warps_per_block());
  layout.multiprocessors = description.multiprocessors;
  layout.blocks_per_sm = resident.blocks_per_sm;
  layout.l1_bytes = l1_bytes;
  layout.l2_bytes = description.l2_bytes;
  layout.origin = process().memory.reserved().begin;
  const size_t devices = process().devices.size();
  const auto own = process().memory.arena_range(static_cast<unsigned>(device.ordinal)),
             last = process().memory.arena_range(static_cast<unsigned>(devices - 1));
  layout.devices = {process().memory.arena_range(0).begin, last.end};
  layout.own = {own.begin, own.end};
  if (process().settings.cold_caches) layout.budget_words *= kProfilerBudgets;
  caches.emplace(layout, *device.l2);
  list.add(*caches);
}

void LaunchRecorder::Parts::count_accesses() {
  counter.emplace(kernel.cubin.code.get(), blocks * warps_per_block());
  list.add(*counter);
  make_caches();
}

void LaunchRecorder::Parts::record_trace() {
  const Settings& settings = process().settings;
  const std::array<uint32_t, 3> grid = {request.grid.x, request.grid.y, request.grid.z};
  observe::RecorderOptions options;
  try {
    options.blocks = observe::choose_blocks(settings.trace_blocks, grid);
  } catch (const std::runtime_error& error) {
    say(fmt::format("{}; recording the first, the middle, the last and an edge block",
                    error.what()));
    options.blocks = observe::choose_blocks("", grid);
  }
  options.limit_bytes = settings.trace_limit_bytes;
  options.with_values = true;
  options.find_array = find_array;
  recorder.emplace(std::move(options));
  list.add(*recorder);
}

}  // namespace ridge::runtime
