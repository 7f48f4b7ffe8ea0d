// What the virtual GPU counts of a kernel that was timed on a real one: a GPU says that it is slow, the
// counts say on which line.
#pragma once

#include "harness/build/compile.h"
#include "harness/grade/findings/outcome.h"
#include "harness/grade/grade.h"
#include "harness/measure/work.h"
#include "harness/runner/installation.h"
#include "trace/launch_report.h"

namespace ridge::grade {

struct VirtualCounts {
  std::vector<trace::LaunchReport> launches;  // of one call at the rung's virtual_size
  measure::Work work;                         // of that call
  std::string why_not;                        // in words, when there are none
};

// Never throws: the grade stands without it. `scratch` is a folder of this grading's own.
VirtualCounts count_on_virtual_gpu(const runner::Installation& installation, const build::Compiled& compiled,
                           const course::Rung& rung, uint64_t seed, const std::filesystem::path& scratch);

// Puts the counts, the gates, and in words what is far from its ideal, into a result that was measured.
void add_virtual_counts(const VirtualCounts& counted, const course::Rung& rung, Result& result);

}  // namespace ridge::grade
