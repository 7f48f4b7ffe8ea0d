// The device's roofs in the roofline: slopes in bytes per second, flats in operations per second,
// and their names.
#pragma once

#include <vector>

#include "visualizer/draw/plot.h"
#include "visualizer/session/analysis/roofline.h"
#include "visualizer/views/view.h"

namespace ridge::view {

// `bytes`: the work of the shown kernels is useful bytes, not operations. Names avoid the `taken`
// areas.
void draw_roofs(const Frame& frame, const Roofs& roofs, const Plot& plot, bool bytes,
                std::vector<Rect> taken);

}  // namespace ridge::view
