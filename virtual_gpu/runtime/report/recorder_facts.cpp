// What the report and the trace of a launch say about the launch itself.
#include <fmt/format.h>

#include "text/demangled.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/findings.h"
#include "virtual_gpu/runtime/report/recorder_parts.h"
#include "virtual_gpu/runtime/work/launch_link.h"

namespace ridge::runtime {
namespace {

std::array<uint32_t, 3> triple(const dim3& d) {
  return {d.x, d.y, d.z};
}

uint64_t product(const dim3& d) {
  return uint64_t{d.x} * d.y * d.z;
}

}  // namespace

LaunchRecorder::Parts::Parts(const LaunchRequest& launch, const LoadedKernel& loaded,
                             Device& runs_on, const machine::LaunchConfig& machine_config)
    : request(launch),
      kernel(loaded),
      device(runs_on),
      config(machine_config),
      range(process().profiler_range),
      threads_per_block(product(launch.block)),
      blocks(product(launch.grid)) {}

std::string LaunchRecorder::Parts::kernel_name() const {
  return text::demangled(request.kernel->name);
}

std::string LaunchRecorder::Parts::device_name() const {
  return fmt::format("{} (virtual)", device.description->name);
}

warp_model::Occupancy LaunchRecorder::Parts::occupancy() const {
  return warp_model::occupancy(
      *device.description,
      block_resources(*request.kernel, kernel, threads_per_block, config.dynamic_shared_bytes));
}

trace::LaunchReport LaunchRecorder::Parts::report(const machine::LaunchOutcome& outcome,
                                                  double host_seconds,
                                                  observe::SpillsBehind& spills) const {
  trace::LaunchReport report = counter->report(&spills);
  report.kernel = kernel_name();
  report.device = device_name();
  report.device_number = static_cast<uint32_t>(device.ordinal);
  if (links) report.links = links->links();
  report.range = range;
  report.on_default_stream = request.on_default_stream;
  report.may_begin_early = request.link && request.link->state->before != nullptr;
  if (dependent) report.early_load_bytes = dependent->early_load_bytes();
  report.grid = triple(request.grid);
  report.block = triple(request.block);
  report.registers_per_thread = kernel.cubin.registers_per_thread;
  report.static_shared_bytes = kernel.static_shared_bytes();
  report.dynamic_shared_bytes = config.dynamic_shared_bytes;
  report.local_bytes_per_thread =
      kernel.cubin_arch ? kernel.cubin.stack_bytes : kernel.info->local_bytes_per_thread;
  const warp_model::Occupancy resident = occupancy();
  report.occupancy = resident.fraction;
  report.occupancy_limiter = warp_model::name(resident.limiter);
  report.shared_carveout_bytes = shared_carveout_bytes;
  report.l1_bytes = l1_bytes;
  report.blocks_per_sm = resident.blocks_per_sm;
  report.warps_per_sm = resident.warps_per_sm;
  report.limit_threads = resident.limit_threads;
  report.limit_blocks = resident.limit_blocks;
  report.limit_registers = resident.limit_registers;
  report.limit_shared_memory = resident.limit_shared_memory;
  report.host_seconds = host_seconds;
  report.host_threads = config.host_threads;
  report.checks = !process().settings.checks.empty();
  if (outcome.fault) report.findings.push_back(finding_of(*outcome.fault));
  return report;
}

trace::TraceLaunch LaunchRecorder::Parts::trace_launch() const {
  trace::TraceLaunch launch;
  launch.kernel = kernel_name();
  launch.device = device_name();
  launch.grid = triple(request.grid);
  launch.block = triple(request.block);
  launch.static_shared_bytes = kernel.static_shared_bytes();
  launch.dynamic_shared_bytes = config.dynamic_shared_bytes;
  launch.registers_per_thread = kernel.cubin.registers_per_thread;
  const ptx::TextLines& lines = request.kernel->binary->image(device).module->ptx_lines;
  launch.ptx_lines.assign(lines.begin(), lines.end());
  return launch;
}

trace::BlockPlacement LaunchRecorder::Parts::placement() const {
  trace::BlockPlacement placement;
  placement.multiprocessors = device.description->multiprocessors;
  placement.blocks_per_sm = occupancy().blocks_per_sm;
  if (request.cluster.x != 0) placement.cluster = triple(request.cluster);
  return placement;
}

}  // namespace ridge::runtime
