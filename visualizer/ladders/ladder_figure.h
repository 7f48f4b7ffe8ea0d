// The course's ladder charts: the measured reference solutions of a lab, drawn by the visualizer's
// ladder view.
#pragma once

#include <string>

#include "harness/report/worklog/ladder.h"

namespace ridge::view {

// A self-contained SVG, dark on systems with a dark theme, otherwise light, with its own
// background. Empty: no rung of the lab was measured.
std::string ladder_figure(const report::Ladder& ladder);

}  // namespace ridge::view
