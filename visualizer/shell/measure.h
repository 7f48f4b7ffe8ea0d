// Measures opening, scrubbing and drawing, as a table: `ridge-view --measure FILE`.
#pragma once

#include <string>

#include "visualizer/app/app.h"
#include "visualizer/shell/options.h"

namespace ridge::view {

// Processor time of this process. Draws without a window; throws like Headless.
std::string measure(const Options& options);

}  // namespace ridge::view
