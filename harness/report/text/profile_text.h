// The text of `ridge profile`. Each part says whether it was modelled, measured, or read from the
// compiled file.
#pragma once

#include <string>
#include <vector>

#include "harness/build/compile.h"
#include "harness/build/instruction_mix.h"
#include "harness/grade/gates/nsight_counters.h"
#include "harness/report/text/terminal.h"
#include "trace/launch_report.h"

namespace ridge::report {

std::string resources_line(const build::KernelResources& kernel);
// "most frequent first: 12 ld.global.f32, ..." in columns; at most `most` of them.
std::string mix_text(const std::vector<build::OpcodeCount>& mix, size_t most, const Style& style);
// Occupancy and its limiter, instructions by class, memory by level.
std::string launch_text(const trace::LaunchReport& launch, const Style& style);
std::string counters_text(const grade::Counters& counters, const Style& style);

}  // namespace ridge::report
