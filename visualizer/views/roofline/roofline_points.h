// The runs under the roofs: discs for measured runs, bars below a cap for modelled ones, the
// course's measured references, and the ideal of the newest run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "visualizer/draw/plot.h"
#include "visualizer/session/analysis/graded_work.h"
#include "visualizer/views/view.h"

namespace ridge::view {

struct PointScene {
  const RooflineRuns& runs;
  const Roofs& roofs;
  const Plot& plot;
  const std::string& rung;  // the selected rung
  int64_t newest = -1;      // the run whose figures are shown as text
  bool bytes = false;       // the work of the shown runs is useful bytes, not operations

  bool shows(const RunPoint& point) const { return point.counts_bytes() == bytes; }
  bool is_here(const RunPoint& point) const { return point.rung == rung; }
  Point place(const RunPoint& point) const { return plot.at(point.intensity(), point.rate()); }
};

// The areas of runs, their names and the key of the marks: names of roofs avoid them.
std::vector<Rect> places_of_points(const Frame& frame, const PointScene& scene);
void draw_trails(const Frame& frame, const PointScene& scene);
// `act`: handles a gesture on a run of the store. Regions "run/NUMBER", "course/RUNG" and
// "ideal/NUMBER".
void draw_points(const Frame& frame, const PointScene& scene,
                 const std::function<void(const RunPoint&, const Gesture&)>& act);

}  // namespace ridge::view
