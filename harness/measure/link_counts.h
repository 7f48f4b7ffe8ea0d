// Counts of what crosses the links between devices, relative to what a collective must move
// (harness/measure/work_counts.h).
#pragma once

#include <span>
#include <vector>

#include "harness/measure/work_counts.h"

namespace ridge::measure {

std::span<const WorkCount> link_counts();

// Adds up the links of all launches and of the runtime's copies.
std::vector<trace::LinkCounts> links_of(std::span<const trace::LaunchReport> launches, const Work& work);

}  // namespace ridge::measure
