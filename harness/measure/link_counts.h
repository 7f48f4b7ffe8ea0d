// Counts of what crosses the links between devices, relative to what a collective must move
// (harness/measure/work_counts.h).
#pragma once

#include <span>

#include "harness/measure/work_counts.h"

namespace ridge::measure {

std::span<const WorkCount> link_counts();

}  // namespace ridge::measure
