// The window: GLFW's events to the app, pictures to the screen, and sleep in between.
#pragma once

#include "visualizer/app/app.h"
#include "visualizer/shell/options.h"

namespace ridge::view {

// Until it is closed. Throws std::runtime_error when there is no display or no OpenGL.
void run_window(App& app, const Options& options);

}  // namespace ridge::view
