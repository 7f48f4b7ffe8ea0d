// The virtual GPU's counts of a kernel that was timed on a real GPU. The time shows that the kernel
// is slow; the counts show the line that makes it slow.
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
  std::string why_not;                        // the reason in words when there are no launches
  std::optional<Outcome> outcome = {};        // what is wrong with the call, if anything is
};

// Never throws: the grade is valid without the counts. `scratch` is a folder of this grading.
VirtualCounts count_on_virtual_gpu(const runner::Installation& installation, const build::Compiled& compiled,
                           const course::Rung& rung, uint64_t seed, const std::filesystem::path& scratch);

// Adds the counts, the gates and the figures far from their ideal (in words) to a measured result.
void add_virtual_counts(const VirtualCounts& counted, const course::Rung& rung, Result& result);

}  // namespace ridge::grade
