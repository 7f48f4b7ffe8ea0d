// The size that a rung is graded at, and the modelled runs scaled to it: the virtual GPU counts at a smaller
// size, at which L2 holds what it cannot hold at the graded one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/worklog/ladder.h"
#include "visualizer/session/analysis/roofline.h"
#include "visualizer/session/session.h"

namespace ridge::view {

// What the rung's problem needs at the graded size, from a run that was measured at it.
struct GradedWork {
  double operations = 0, useful_bytes = 0;
  std::string size;  // "m = 4096, n = 4096, k = 4096"
};
using GradedWorks = std::map<std::string, GradedWork>;  // by rung

// 192^3 of "m = 192, n = 192, k = 192"; 0 where there is no number.
double size_product(const std::string& size);

// Sectors and wavefronts grow with the work: with the operations, or with the useful bytes where there are
// none. Bytes through the device's memory do so too where operations and useful bytes grow alike; otherwise
// (a matrix product) the useful bytes are the least that can be, and RunPoint::memory_is_least is set. Leaves
// a measured point, and one that is at the graded size, as they are. `roofs`: its time is modelled anew.
void scale_to_graded(RunPoint& point, const GradedWork& graded, const Roofs& roofs);

// What the roofline draws.
struct RooflineRuns {
  std::vector<RunPoint> points;   // the runs of the store, then the open trace if no run of its rung has figures
  std::vector<RunPoint> course;   // measured references of the lab
  GradedWorks graded;
  size_t without_figures = 0;
};
RooflineRuns roofline_runs(const Session& session, const Roofs& roofs);

}  // namespace ridge::view
