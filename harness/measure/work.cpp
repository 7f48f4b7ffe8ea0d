#include "harness/measure/work.h"

#include <algorithm>

#include "trace/launch_report.h"

namespace ridge::measure {

namespace {

void add_calls(const trace::RangeSummary& summary, Work& work) {
  work.copied_bytes = static_cast<double>(summary.copied_bytes) + static_cast<double>(summary.filled_bytes);
  work.api_calls = static_cast<double>(summary.api_calls);
  work.launch_calls = static_cast<double>(summary.launch_calls);
  work.synchronizations = static_cast<double>(summary.synchronizations);
  work.allocations = static_cast<double>(summary.allocations);
  work.graph_launches = static_cast<double>(summary.graph_launches);
  work.copied_links = summary.links;
  work.graph_instantiations = static_cast<double>(summary.graph_instantiations);
}

}  // namespace

Work work_of(const problems::Case& given, const std::filesystem::path& report) {
  const problems::Problem& problem = *given.problem;
  Work work;
  work.operations = problem.operations ? problem.operations(given.sizes) : 0;
  for (const problems::Buffer& buffer : given.buffers) {
    if (buffer.role == problems::Role::signals) continue;
    const auto bytes = static_cast<double>(buffer.bytes());
    if (buffer.read()) work.input_bytes += bytes;
    if (buffer.written()) {
      work.output_bytes += bytes;
      work.output_elements += static_cast<double>(buffer.elements());
    }
    work.elements = std::max(work.elements, static_cast<double>(buffer.elements()));
  }
  if (problem.on_ranks) {
    work.ranks = static_cast<double>(given.sizes.front());
    work.link_bytes = problems::bytes_moved(problem, given.sizes);
    // Every device has such an array, and does as many operations.
    work.elements *= work.ranks;
    work.operations *= work.ranks;
  }
  if (problem.touched) {
    const problems::Touched touched = problem.touched(given);
    work.input_bytes = touched.read_bytes;
    work.output_bytes = touched.written_bytes;
    work.elements = touched.elements;
  }
  if (problem.steps) work.steps = problem.steps(given.sizes);
  // Each step produces one row of the last buffer, which is an output.
  if (!given.buffers.empty()) work.step_elements = work.steps * static_cast<double>(given.buffers.back().extent.back());
  const auto summaries = trace::read_range_summaries(report);
  if (!summaries.empty()) add_calls(summaries.back(), work);
  return work;
}

}  // namespace ridge::measure
