// Gates: what the virtual GPU counted, against the limits that a rung's idea sets.
#pragma once

#include "harness/grade/fault.h"
#include "harness/grade/grade.h"

namespace ridge::grade {

std::vector<GateResult> evaluate_gates(const std::vector<course::Gate>& gates,
                                       std::span<const trace::LaunchReport> launches);
std::vector<CountRow> count_rows(std::span<const trace::LaunchReport> launches);
// SLOW with the first failed gate, its value, limit and reason, and the source line that does most to it.
std::optional<Fault> fault_of_gates(const std::vector<GateResult>& gates,
                                    std::span<const trace::LaunchReport> launches);

}  // namespace ridge::grade
