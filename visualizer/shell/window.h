// The window: passes GLFW's events to the app, shows pictures, and sleeps in between.
#pragma once

#include "visualizer/app/app.h"
#include "visualizer/shell/options.h"

namespace ridge::view {

// Runs until it is closed. Throws std::runtime_error when there is no display or no OpenGL.
void run_window(App& app, const Options& options);

}  // namespace ridge::view
