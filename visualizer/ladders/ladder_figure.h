// The course's ladder charts: a lab's reference solutions as they were measured, drawn by the visualizer's
// own ladder view.
#pragma once

#include <string>

#include "harness/report/worklog/ladder.h"

namespace ridge::view {

// An SVG that needs nothing outside of it: dark where the reader's system is, light elsewhere, each on a
// ground of its own. Empty: no rung of the lab was measured.
std::string ladder_figure(const report::Ladder& ladder);

}  // namespace ridge::view
