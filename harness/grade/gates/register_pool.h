// Register reallocation (setmaxnreg) of a launch: whether its warps can ever get the registers they ask for.
#pragma once

#include <optional>
#include <span>

#include "harness/grade/findings/outcome.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// A block has the registers that it was launched with: setmaxnreg.inc waits until other warps have given some
// back (PTX ISA, setmaxnreg). The virtual GPU does not limit registers, so this is held against the counts of
// executions. An outcome where the warps of a launch end with more than there are.
std::optional<Outcome> check_register_pool(std::span<const trace::LaunchReport> launches);

}  // namespace ridge::grade
