// Reads one counted call from the virtual GPU's report and checks its consistency.
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
  // Set when launches are missing from the report or appear twice: the process withheld or forged
  // lines.
  std::optional<Outcome> damage;
};

// `reports`: all launches in the file `report`; `range`: the call's number among the profiled
// calls, from 1.
CountedCall counted_call(const std::filesystem::path& report,
                         const std::vector<trace::LaunchReport>& reports, uint32_t range,
                         const problems::Case& given);

// The second counted size, drawn from the seed: a kernel that is specialised for the public size
// fails there. Empty when the rung has no virtual_step.
problems::Sizes hidden_virtual_size(const course::Rung& rung, uint64_t seed);

}  // namespace ridge::grade
