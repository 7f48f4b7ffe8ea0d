// One call that the virtual GPU counted, read from its report and held against itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/grade/findings/outcome.h"
#include "harness/measure/work.h"
#include "trace/launch_report.h"

namespace ridge::grade {

struct CountedCall {
  std::vector<trace::LaunchReport> launches;  // between its cudaProfilerStart and Stop
  measure::Work work;
  // Launches that are missing from the report or stand in it twice: the process withheld or forged lines.
  std::optional<Outcome> damage;
};

// `range`: the call's number among those that were profiled, from 1.
CountedCall counted_call(const std::filesystem::path& report, uint32_t range, const problems::Case& given);

// The second size that is counted, drawn from the seed: a kernel that is good at the public one alone fails
// there. Empty when the rung has no virtual_step.
problems::Sizes hidden_virtual_size(const course::Rung& rung, uint64_t seed);

}  // namespace ridge::grade
