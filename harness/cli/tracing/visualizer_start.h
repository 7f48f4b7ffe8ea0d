// Starting the visualizer, which is a program of its own and built when it is first used.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::cli {

// What to say where there is none.
inline constexpr const char* kHowToBuildVisualizer =
    "the visualizer, ridge-view, is not built yet; ./ridge view in the clone installs its packages and "
    "builds it";

// ridge-view beside this program or in $PATH; empty: not built.
std::filesystem::path find_visualizer();

// Opens the trace in a window of its own and returns at once. Where the visualizer is not built yet, the
// clone's script builds it in the background first. The answer is a sentence for the learner: that it was
// started, how far its build is, or what is missing.
std::string start_visualizer(const std::filesystem::path& clone, const std::filesystem::path& trace,
                             bool there);

// Starts `./ridge view TRACE` of the clone in the background, which builds the visualizer and opens the
// trace. Its words go to `log`, which says how far it is when this is called again.
std::string start_visualizer_build(const std::filesystem::path& clone, const std::filesystem::path& trace,
                                   const std::filesystem::path& log);

}  // namespace ridge::cli
