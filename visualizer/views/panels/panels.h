// What stands around the chosen view whatever it is: views too, of a kind that no key chooses.
#pragma once

#include <memory>

#include "visualizer/views/view.h"

namespace ridge::view {

std::unique_ptr<View> make_source_panel();   // the learner's file with what each line cost
std::unique_ptr<View> make_time_strip();     // one row per warp, one bar per access
std::unique_ptr<View> make_figures_panel();  // the shown access and the launch in numbers

}  // namespace ridge::view
