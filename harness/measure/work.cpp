#include "harness/measure/work.h"

#include <algorithm>

#include "trace/launch_report.h"

namespace ridge::measure {

Work work_of(const problems::Problem& problem, const problems::Sizes& sizes,
             const std::filesystem::path& report) {
  Work work;
  work.operations = problem.operations ? problem.operations(sizes) : 0;
  for (const problems::Buffer& buffer : problem.buffers(sizes)) {
    const auto bytes = static_cast<double>(buffer.bytes());
    if (buffer.read()) work.input_bytes += bytes;
    if (buffer.written()) {
      work.output_bytes += bytes;
      work.output_elements += static_cast<double>(buffer.elements());
    }
    work.elements = std::max(work.elements, static_cast<double>(buffer.elements()));
  }
  const auto summaries = trace::read_range_summaries(report);
  if (!summaries.empty())
    work.copied_bytes =
        static_cast<double>(summaries.back().copied_bytes) + static_cast<double>(summaries.back().filled_bytes);
  return work;
}

}  // namespace ridge::measure
