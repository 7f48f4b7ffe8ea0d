#include "virtual_gpu/runtime/report/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>

#include "trace/launch_report.h"
#include "text/demangled.h"
#include "virtual_gpu/observe/caches/cache_model.h"
#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/counts/launch_counter.h"
#include "virtual_gpu/observe/counts/link_counter.h"
#include "virtual_gpu/observe/observer_list.h"
#include "virtual_gpu/observe/races/devices/peer_races.h"
#include "virtual_gpu/observe/trace/trace_recorder.h"
#include "virtual_gpu/runtime/report/launch_summary.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"
#include "virtual_gpu/runtime/report/trace_search.h"
#include "virtual_gpu/runtime/work/launch_link.h"

namespace ridge::runtime {
namespace {

std::array<uint32_t, 3> triple(const machine::Dim3& d) {
  return {d.x, d.y, d.z};
}
std::array<uint32_t, 3> triple(const dim3& d) {
  return {d.x, d.y, d.z};
}

std::string_view check_name(machine::Fault::Kind kind) {
  using Kind = machine::Fault::Kind;
  switch (kind) {
    case Kind::out_of_bounds:
      return "out_of_bounds";
    case Kind::misaligned:
      return "misaligned";
    case Kind::barrier:
      return "barrier";
    case Kind::deadlock:
      return "deadlock";
    case Kind::time_limit:
      return "time_limit";
    case Kind::trap:
      return "trap";
    case Kind::assertion:
      return "assertion";
    case Kind::unknown_instruction:
      return "unknown_instruction";
    case Kind::invalid_launch:
      return "invalid_launch";
    case Kind::uninitialised:
      return "uninitialised";
    case Kind::race:
      return "race";
    case Kind::internal:
      return "internal";
  }
  return "unknown";
}

trace::Finding finding_of(const machine::Fault& fault) {
  std::vector<trace::NamedValue> values;
  for (const auto& [name, text] : fault.cause.values)
    values.push_back({name, text});
  return {std::string(check_name(fault.kind)),
          fault.message,
          fault.file,
          fault.line,
          fault.ptx_line,
          triple(fault.block),
          triple(fault.thread),
          fault.called_from,
          fault.cause.id,
          fault.advice,
          std::move(values)};
}

// One write per line, so that launches of several threads and processes do not mix.
void append_line(const std::string& path, std::string line) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!line.ends_with('\n')) line += '\n';
  int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  bool written = file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) say(fmt::format("the report {} cannot be written: {}", path, std::strerror(errno)));
  if (file >= 0) close(file);
}

// Exists until the program has ended.
LaunchSummary& launch_summary() {
  static auto* summary = new LaunchSummary();
  return *summary;
}

std::optional<trace::TraceArray> find_array(uint64_t address) {
  std::optional<machine::Allocation> allocation = process().memory.find(address);
  if (!allocation) return std::nullopt;
  return trace::TraceArray{
      allocation->begin, allocation->bytes,
      allocation->made_at.told(fmt::format("{} #{}", allocation->origin, allocation->serial))};
}

}  // namespace

struct LaunchRecorder::Parts {
  const LaunchRequest& request;
  const LoadedKernel& kernel;
  Device& device;
  const machine::LaunchConfig& config;
  uint32_t range;
  std::optional<observe::LaunchCounter> counter;
  std::optional<observe::CacheModel> caches;
  uint32_t shared_carveout_bytes = 0, l1_bytes = 0;
  std::optional<observe::TraceRecorder> recorder;
  std::optional<observe::Checks> checks;
  std::optional<observe::DependentLaunch> dependent;
  std::optional<observe::PeerRaces> peer_races;
  std::optional<observe::LinkCounter> links;
  observe::ObserverList list;

  std::string device_name() const { return fmt::format("{} (virtual)", device.description->name); }
  trace::LaunchReport report(const machine::LaunchOutcome& outcome, double host_seconds,
                             observe::SpillsBehind& spills) const;
  trace::TraceLaunch trace_launch() const;
  trace::BlockPlacement placement() const;
  void record_trace();
  void make_caches(uint64_t blocks, uint64_t threads);
  void follow_dependence();
  void follow_peers(bool checks_races);
};

// For a launch that may begin early, or whose successor may.
void LaunchRecorder::Parts::follow_dependence() {
  if (!request.link) return;
  const LaunchState& state = *request.link->state;
  if (!state.before && !state.is_followed) return;
  observe::DependentLaunch::Options options;
  options.kernel = text::demangled(request.kernel->name);
  options.is_early = state.before != nullptr;
  options.is_followed = state.is_followed;
  if (state.before && state.before->finished)
    options.running = observe::may_be_running_behind(*state.before->finished);
  dependent.emplace(std::move(options), config, process().memory);
  list.add(*dependent);
}

// For a launch whose device may access another's memory, or whose memory others may access.
void LaunchRecorder::Parts::follow_peers(bool checks_races) {
  Process& all = process();
  if (!all.peers_are_reachable()) return;
  links.emplace(static_cast<unsigned>(device.ordinal), static_cast<unsigned>(all.devices.size()), all.memory);
  list.add(*links);
  const Task* const task = running_task();
  if (!checks_races || !all.peer_shadow || task == nullptr) return;
  observe::PeerTask own;
  own.device = static_cast<unsigned>(device.ordinal);
  own.queue = task->queue->id;
  own.number = task->number;
  own.name = text::demangled(request.kernel->name);
  own.grid = {request.grid.x, request.grid.y, request.grid.z};
  own.block = {request.block.x, request.block.y, request.block.z};
  peer_races.emplace(*all.peer_shadow, std::move(own), task->order, all.memory);
  list.add(*peer_races);
}

// RIDGE_CACHES=cold is for comparisons with a profiler, so the simulation may take longer.
constexpr uint64_t kProfilerBudgets = 8;

void LaunchRecorder::Parts::make_caches(uint64_t blocks, uint64_t threads) {
  const warp_model::DeviceDescription& description = *device.description;
  const auto occupancy = warp_model::occupancy(
      description, block_resources(*request.kernel, kernel, threads, config.dynamic_shared_bytes));
  if (occupancy.blocks_per_sm == 0 || blocks == 0) return;
  shared_carveout_bytes = warp_model::driver_carveout_bytes(
      description, uint64_t{occupancy.blocks_per_sm} * occupancy.shared_bytes_allocated_per_block);
  l1_bytes =
      description.l1_and_shared_bytes - std::min(description.l1_and_shared_bytes, shared_carveout_bytes);
  std::lock_guard lock(device.l2_mutex);
  if (!device.l2) device.l2 = std::make_unique<observe::L2Cache>(description.l2_bytes);
  observe::CacheLayout layout;
  layout.blocks = blocks;
  layout.warps_per_block = static_cast<uint32_t>((threads + 31) / 32);
  layout.multiprocessors = description.multiprocessors;
  layout.blocks_per_sm = occupancy.blocks_per_sm;
  layout.l1_bytes = l1_bytes;
  layout.l2_bytes = description.l2_bytes;
  layout.origin = process().memory.reserved().begin;
  if (process().settings.cold_caches) layout.budget_words *= kProfilerBudgets;
  caches.emplace(layout, *device.l2);
}

trace::LaunchReport LaunchRecorder::Parts::report(const machine::LaunchOutcome& outcome, double host_seconds,
                                                  observe::SpillsBehind& spills) const {
  trace::LaunchReport report = counter->report(&spills);
  report.kernel = text::demangled(request.kernel->name);
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
  uint64_t threads = static_cast<uint64_t>(request.block.x) * request.block.y * request.block.z;
  auto resources = block_resources(*request.kernel, kernel, threads, config.dynamic_shared_bytes);
  auto occupancy = warp_model::occupancy(*device.description, resources);
  report.occupancy = occupancy.fraction;
  report.occupancy_limiter = warp_model::name(occupancy.limiter);
  report.shared_carveout_bytes = shared_carveout_bytes;
  report.l1_bytes = l1_bytes;
  report.blocks_per_sm = occupancy.blocks_per_sm;
  report.warps_per_sm = occupancy.warps_per_sm;
  report.limit_threads = occupancy.limit_threads;
  report.limit_blocks = occupancy.limit_blocks;
  report.limit_registers = occupancy.limit_registers;
  report.limit_shared_memory = occupancy.limit_shared_memory;
  report.host_seconds = host_seconds;
  report.host_threads = config.host_threads;
  report.checks = !process().settings.checks.empty();
  if (outcome.fault) report.findings.push_back(finding_of(*outcome.fault));
  return report;
}

trace::TraceLaunch LaunchRecorder::Parts::trace_launch() const {
  trace::TraceLaunch launch;
  launch.kernel = text::demangled(request.kernel->name);
  launch.device = device_name();
  launch.grid = triple(request.grid);
  launch.block = triple(request.block);
  launch.static_shared_bytes = kernel.static_shared_bytes();
  launch.dynamic_shared_bytes = config.dynamic_shared_bytes;
  launch.registers_per_thread = kernel.cubin.registers_per_thread;
  launch.ptx_lines = request.kernel->binary->image(device).module->ptx_lines;
  return launch;
}

trace::BlockPlacement LaunchRecorder::Parts::placement() const {
  const uint64_t threads = static_cast<uint64_t>(request.block.x) * request.block.y * request.block.z;
  const auto resources = block_resources(*request.kernel, kernel, threads, config.dynamic_shared_bytes);
  trace::BlockPlacement placement;
  placement.multiprocessors = device.description->multiprocessors;
  placement.blocks_per_sm = warp_model::occupancy(*device.description, resources).blocks_per_sm;
  if (request.cluster.x != 0) placement.cluster = triple(request.cluster);
  return placement;
}

void LaunchRecorder::Parts::record_trace() {
  const Settings& settings = process().settings;
  const std::array<uint32_t, 3> grid = triple(request.grid);
  observe::RecorderOptions options;
  try {
    options.blocks = observe::choose_blocks(settings.trace_blocks, grid);
  } catch (const std::runtime_error& error) {
    say(fmt::format("{}; recording the first, the middle, the last and an edge block", error.what()));
    options.blocks = observe::choose_blocks("", grid);
  }
  options.limit_bytes = settings.trace_limit_bytes;
  options.with_values = true;
  options.find_array = find_array;
  recorder.emplace(std::move(options));
  list.add(*recorder);
}

LaunchRecorder::LaunchRecorder(const LaunchRequest& request, const LoadedKernel& kernel, Device& device,
                               const machine::LaunchConfig& config)
    : parts_(new Parts{request, kernel, device, config, process().profiler_range, {}, {}, 0, 0, {}, {}, {}, {}, {}, {}}) {
  const Settings& settings = process().settings;
  const observe::CheckOptions wanted{settings.checks.contains("race"),
                                     settings.checks.contains("uninitialised")};
  if (wanted.race || wanted.uninitialised) {
    parts_->checks.emplace(wanted, config, process().memory);
    parts_->list.add(*parts_->checks);
  }
  if (wanted.race) parts_->follow_dependence();
  parts_->follow_peers(wanted.race);
  const bool is_traced = !settings.trace_path.empty() &&
                         claim_trace(settings, text::demangled(request.kernel->name), parts_->range != 0);
  if (!settings.report_path.empty() || is_traced) {
    const uint64_t threads = static_cast<uint64_t>(request.block.x) * request.block.y * request.block.z;
    const uint64_t blocks = static_cast<uint64_t>(request.grid.x) * request.grid.y * request.grid.z;
    parts_->counter.emplace(kernel.cubin.code.get(), blocks * ((threads + 31) / 32));
    parts_->list.add(*parts_->counter);
    parts_->make_caches(blocks, threads);
    if (parts_->caches) parts_->list.add(*parts_->caches);
  }
  if (is_traced) parts_->record_trace();
}

void begin_range() {
  Process& all = process();
  // Earlier work belongs to no range. The work of a range is finished when the range ends, so that
  // its report is complete.
  if (all.settings.records_ranges()) finish_work_of_all();
  runtime_calls().clear();
  all.range_launches = all.copies = all.copied_bytes = all.fills = all.filled_bytes = 0;
  {
    const std::lock_guard lock(all.links_mutex);
    all.copied_links.clear();
  }
  all.profiler_range = ++all.profiler_starts;
}

void end_range() {
  Process& all = process();
  trace::RangeSummary summary;
  if (all.settings.records_ranges() && all.profiler_range != 0) finish_work_of_all();
  summary.range = all.profiler_range;
  all.profiler_range = 0;
  if (all.settings.report_path.empty() || summary.range == 0) return;
  summary.launches = all.range_launches;
  summary.last_number = all.launches;
  summary.copies = all.copies;
  summary.copied_bytes = all.copied_bytes;
  summary.fills = all.fills;
  summary.filled_bytes = all.filled_bytes;
  const RuntimeCalls& calls = runtime_calls();
  summary.api_calls = calls.all;
  summary.launch_calls = calls.launches;
  summary.synchronizations = calls.synchronizations;
  summary.allocations = calls.allocations;
  summary.graph_launches = calls.graph_launches;
  summary.graph_instantiations = calls.graph_instantiations;
  {
    const std::lock_guard lock(all.links_mutex);
    summary.links = all.copied_links;
  }
  append_line(all.settings.report_path, trace::to_json_line(summary));
}

void report_race_of_copy(const std::string& message) {
  const std::string& path = process().settings.report_path;
  if (path.empty()) return;
  trace::LaunchReport report;
  report.kernel = "a copy between devices";
  report.range = process().profiler_range;
  trace::Finding finding;
  finding.check = check_name(machine::Fault::Kind::race);
  finding.message = message;
  finding.cause = "peer_copy";
  report.findings.push_back(std::move(finding));
  append_line(path, trace::to_json_line(report));
}

void write_launch_summary() {
  const std::string& path = process().settings.report_path;
  const std::string lines = launch_summary().lines();
  if (!path.empty() && !lines.empty()) append_line(path, lines);
}

LaunchRecorder::~LaunchRecorder() = default;

machine::ObserverFactory* LaunchRecorder::observers() {
  return parts_->list.empty() ? nullptr : &parts_->list;
}

void LaunchRecorder::finish(const machine::LaunchOutcome& outcome, double host_seconds) {
  const Settings& settings = process().settings;
  trace::TraceEnd end;
  if (parts_->dependent) {
    LaunchState& state = *parts_->request.link->state;
    state.finished = parts_->dependent->finished();
    if (!state.is_kept) state.before.reset();
  }
  if (parts_->links) process().note_links(parts_->links->links());
  if (parts_->counter) {
    observe::SpillsBehind spills;
    trace::LaunchReport report = parts_->report(outcome, host_seconds, spills);
    if (parts_->caches && !outcome.fault) {
      std::lock_guard lock(parts_->device.l2_mutex);
      if (settings.cold_caches) parts_->device.l2->clear();
      parts_->caches->report(report, spills);
    }
    report.number = ++process().launches;
    if (report.range != 0) ++process().range_launches;
    if (settings.report_summary && !parts_->recorder)
      launch_summary().add(report);
    else if (!settings.report_path.empty())
      append_line(settings.report_path, trace::to_json_line(report));
    end.report = std::move(report);
  }
  if (!parts_->recorder) return;
  end.placement = parts_->placement();
  try {
    parts_->recorder->write(settings.trace_path, parts_->trace_launch(), std::move(end));
    // With a harness, the harness reports it.
    if (!settings.graded) {
      say(fmt::format("traced {}: {}; in {}", text::demangled(parts_->request.kernel->name),
                      parts_->recorder->outcome_text(), settings.trace_path));
    }
  } catch (const std::exception& error) {
    say(fmt::format("the trace cannot be written: {}", error.what()));
  }
}

}  // namespace ridge::runtime
