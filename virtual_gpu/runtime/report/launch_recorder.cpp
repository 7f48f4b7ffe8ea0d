#include "virtual_gpu/runtime/report/launch_recorder.h"

#include <fmt/format.h>

#include <mutex>

#include "trace/launch_report.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/report/recorder_parts.h"
#include "virtual_gpu/runtime/report/report_file.h"
#include "virtual_gpu/runtime/report/trace_search.h"
#include "virtual_gpu/runtime/work/launch_link.h"

namespace ridge::runtime {

// Kernels of several ranks begin in any order: a grading traces that of the first device, so that
// its trace is the same every time.
static bool may_be_traced(const Settings& settings, const Device& device) {
  return !settings.graded || settings.device_count == 1 || device.ordinal == 0;
}

LaunchRecorder::LaunchRecorder(const LaunchRequest& request, const LoadedKernel& kernel,
                               Device& device, const machine::LaunchConfig& config)
    : parts_(new Parts(request, kernel, device, config)) {
  const Settings& settings = process().settings;
  parts_->check_accesses();
  parts_->follow_dependence();
  parts_->follow_peers();
  const bool is_traced = !settings.trace_path.empty() && may_be_traced(settings, device) &&
                         claim_trace(settings, parts_->kernel_name(), parts_->range != 0);
  if (!settings.report_path.empty() || is_traced) parts_->count_accesses();
  if (is_traced) parts_->record_trace();
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
  if (parts_->links)
    process().links.add_launch(static_cast<uint32_t>(parts_->device.ordinal), parts_->link_launch,
                               parts_->kernel_name(), parts_->links->links());
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
      add_to_summary(report);
    else if (!settings.report_path.empty())
      append_to_report(trace::to_json_line(report));
    end.report = std::move(report);
  }
  if (!parts_->recorder) return;
  end.placement = parts_->placement();
  try {
    parts_->recorder->write(settings.trace_path, parts_->trace_launch(), std::move(end));
    process().links.note_trace(settings.trace_path, static_cast<uint32_t>(parts_->device.ordinal), parts_->range != 0);
    // With a harness, the harness reports it.
    if (!settings.graded) {
      say(fmt::format("traced {}: {}; in {}", parts_->kernel_name(),
                      parts_->recorder->outcome_text(), settings.trace_path));
    }
  } catch (const std::exception& error) {
    say(fmt::format("the trace cannot be written: {}", error.what()));
  }
}

}  // namespace ridge::runtime
