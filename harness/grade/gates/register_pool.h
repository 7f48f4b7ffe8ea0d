// Register reallocation (setmaxnreg) of a launch: checks whether its warps can ever get the
// registers that they request.
#pragma once

#include <optional>
#include <span>

#include "harness/grade/findings/outcome.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// A block has the registers that it was launched with: setmaxnreg.inc waits until other warps have
// released some (PTX ISA, setmaxnreg). The virtual GPU does not limit registers, so the executions
// are counted and compared. Returns an outcome when the warps of a launch end with more registers
// than the block has.
std::optional<Outcome> check_register_pool(std::span<const trace::LaunchReport> launches);

}  // namespace ridge::grade
