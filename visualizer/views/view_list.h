// Every view's maker; each stands in the file of its name.
#pragma once

#include <memory>

#include "visualizer/views/view.h"

namespace ridge::view {

std::unique_ptr<View> make_warp_view();
std::unique_ptr<View> make_banks_view();
std::unique_ptr<View> make_pyramid_view();
std::unique_ptr<View> make_roofline_view();
std::unique_ptr<View> make_ladder_view();
std::unique_ptr<View> make_arrays_view();
std::unique_ptr<View> make_grid_view();
std::unique_ptr<View> make_compare_view();
std::unique_ptr<View> make_accesses_view();

}  // namespace ridge::view
