// The texts of the roofline: for a run, for a "what if", and the key of the marks.
#pragma once

#include <string>

#include "visualizer/draw/plot.h"
#include "visualizer/session/analysis/graded_work.h"
#include "visualizer/views/view.h"

namespace ridge::view {

struct Asking {  // what if this run were at that point?
  RunPoint point;
  double intensity = 0, rate = 0;
};

// Lines for a tooltip.
std::string words_of(const RunPoint& point);
// "with 8.39 MB that stay in L2 counted as moved"; empty: everything needed was moved in the
// launch.
std::string words_of_l2(const RunPoint& point);

// The sizes of the shown runs, and whether they were scaled.
std::string size_note(const RooflineRuns& runs, const std::string& rung);

void draw_what_if(const Frame& frame, const Roofs& roofs, const Plot& plot, const Asking& asking);
// In the corner above the roofs, where no run can be. `left_out`: number of runs without figures.
void draw_marks_key(const Frame& frame, const Plot& plot, size_t left_out);

}  // namespace ridge::view
