#include "virtual_gpu/runtime/report/profiler_range.h"

#include "trace/launch_report.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"
#include "virtual_gpu/runtime/report/report_file.h"

namespace ridge::runtime {

void begin_range() {
  Process& all = process();
  // Earlier work belongs to no range. The work of a range is finished when the range ends, so that
  // its report is complete.
  if (all.settings.records_ranges()) finish_work_of_all();
  runtime_calls().clear();
  all.range_launches = all.copies = all.copied_bytes = all.fills = all.filled_bytes = 0;
  all.links.begin_range(all.memory, static_cast<uint32_t>(all.devices.size()));
  all.profiler_range = ++all.profiler_starts;
}

void end_range() {
  Process& all = process();
  trace::RangeSummary summary;
  if (all.settings.records_ranges() && all.profiler_range != 0) finish_work_of_all();
  all.links.end_range(all.memory, static_cast<uint32_t>(all.devices.size()));
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
  summary.links = all.links.of_copies();
  append_to_report(trace::to_json_line(summary));
}

}  // namespace ridge::runtime
