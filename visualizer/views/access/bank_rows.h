// One row of 32 boxes per wavefront of an access to shared memory.
#pragma once

#include <string_view>
#include <vector>

#include "visualizer/views/view.h"
#include "warp_model/shared_memory/wavefronts.h"

namespace ridge::view {

using Wavefronts = std::vector<warp_model::Wavefront>;

// Regions have the ids "bank/BANK/ROW" after `prefix`. Below, a line counts the rows that do not
// fit.
void draw_bank_rows(const Frame& frame, Rect area, const Wavefronts& wavefronts, std::string_view prefix);

}  // namespace ridge::view
