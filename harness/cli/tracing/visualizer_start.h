// Starting the visualizer, which is a program of its own.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::cli {

// What to say where there is none.
inline constexpr const char* kHowToInstallVisualizer =
    "The visualizer, ridge-view, was not built here: its packages were missing. Install them and run "
    "./ridge, "
    "which builds it: sudo apt-get install libimgui-dev libglfw3-dev libgl-dev libegl-dev libstb-dev "
    "fonts-inter fonts-jetbrains-mono";

// ridge-view beside this program or in $PATH; empty: not installed.
std::filesystem::path find_visualizer();

// Opens the trace in a window of its own and returns at once. The answer is a sentence for the learner: that
// it was started, or what is missing.
std::string start_visualizer(const std::filesystem::path& trace, bool there);

}  // namespace ridge::cli
