// Counts relative to the work of the call (harness/measure/work.h): how much of the rung's idea is
// present, and how much is done beyond the required work. They do not depend on the size, so one
// limit is valid at every size.
#pragma once

#include <span>
#include <string_view>

#include "harness/measure/work.h"
#include "trace/launch_report.h"

namespace ridge::measure {

struct WorkCount {
  std::string_view name;
  std::string_view description;  // one line
  double (*value)(std::span<const trace::LaunchReport> launches, const Work& work);
  // As Count::of_instruction.
  double (*of_instruction)(const trace::InstructionCounts& instruction);
  // As in Count: identifiers of harness/grade/findings/finding_texts.cpp, or "".
  std::string_view too_large = {}, too_small = {};
  bool of_machine_code = false;  // as Count::of_machine_code
};

std::span<const WorkCount> work_counts();

}  // namespace ridge::measure
