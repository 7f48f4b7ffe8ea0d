#include "harness/measure/work.h"

#include <algorithm>

#include "trace/launch_report.h"

namespace ridge::measure {

Work work_of(const problems::Case& given, const std::filesystem::path& report) {
  const problems::Problem& problem = *given.problem;
  Work work;
  work.operations = problem.operations ? problem.operations(given.sizes) : 0;
  for (const problems::Buffer& buffer : given.buffers) {
    const auto bytes = static_cast<double>(buffer.bytes());
    if (buffer.read()) work.input_bytes += bytes;
    if (buffer.written()) {
      work.output_bytes += bytes;
      work.output_elements += static_cast<double>(buffer.elements());
    }
    work.elements = std::max(work.elements, static_cast<double>(buffer.elements()));
  }
  if (problem.touched) {
    const problems::Touched touched = problem.touched(given);
    work.input_bytes = touched.read_bytes;
    work.output_bytes = touched.written_bytes;
    work.elements = touched.elements;
  }
  const auto summaries = trace::read_range_summaries(report);
  if (!summaries.empty())
    work.copied_bytes =
        static_cast<double>(summaries.back().copied_bytes) + static_cast<double>(summaries.back().filled_bytes);
  return work;
}

}  // namespace ridge::measure
