// Starts the visualizer, a separate program that is built on first use.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::cli {

// The message when the visualizer is missing.
inline constexpr const char* kHowToBuildVisualizer =
    "the visualizer, ridge-view, is not built yet; ./ridge view in the clone installs its packages and "
    "builds it";

// ridge-view in this program's folder or in $PATH; empty: not built.
std::filesystem::path find_visualizer();

// Opens the trace in a new window and returns immediately. If the visualizer is not built, the
// clone's script first builds it in the background. Returns a sentence for the student: that it was
// started, the state of its build, or what is missing.
std::string start_visualizer(const std::filesystem::path& clone, const std::filesystem::path& trace,
                             bool there);

// Starts `./ridge view TRACE` of the clone in the background, which builds the visualizer and opens
// the trace. Its output goes to `log`, from which a later call reads the state of the build.
std::string start_visualizer_build(const std::filesystem::path& clone, const std::filesystem::path& trace,
                                   const std::filesystem::path& log);

}  // namespace ridge::cli
