// The permanent panels around the chosen view: views that have no key.
#pragma once

#include <memory>

#include "visualizer/views/view.h"

namespace ridge::view {

std::unique_ptr<View> make_source_panel();   // the student's file with the cost of each line
std::unique_ptr<View> make_time_strip();     // one row per warp, one bar per access
std::unique_ptr<View> make_figures_panel();  // the shown access and the launch in numbers

}  // namespace ridge::view
