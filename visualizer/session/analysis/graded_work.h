// The size at which a rung is graded, and modelled runs scaled to it: the virtual GPU counts at a
// smaller size, at which data may fit into L2 that does not fit at the graded size.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/worklog/ladder.h"
#include "visualizer/session/analysis/roofline.h"
#include "visualizer/session/session.h"

namespace ridge::view {

// The work of the rung's problem at the graded size, from a run that was measured at it.
struct GradedWork {
  double operations = 0, useful_bytes = 0;
  std::string size;  // "m = 4096, n = 4096, k = 4096"
};
using GradedWorks = std::map<std::string, GradedWork>;  // by rung

// 192^3 for "m = 192, n = 192, k = 192"; 0 without a number.
double size_product(const std::string& size);

// Scales a modelled point to the graded size. Sectors and wavefronts are proportional to the
// operations, or to the useful bytes without operations. Bytes of device memory are too if
// operations and useful bytes grow in proportion; otherwise (a matrix product) the useful bytes are
// used as a lower bound, and RunPoint::memory_is_least is set. Measured points, and points at the
// graded size, stay unchanged. `roofs`: for modelling the time again.
void scale_to_graded(RunPoint& point, const GradedWork& graded, const Roofs& roofs);

// The points of the roofline.
struct RooflineRuns {
  // The stored runs; also the open trace, if no stored run of its rung has figures.
  std::vector<RunPoint> points;
  std::vector<RunPoint> course;   // measured references of the lab
  GradedWorks graded;
  size_t without_figures = 0;
};
RooflineRuns roofline_runs(const Session& session, const Roofs& roofs);

}  // namespace ridge::view
