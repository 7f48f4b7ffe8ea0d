// The paths of the student's clone and of the build that contains this program.
#pragma once

#include <filesystem>

namespace ridge::cli {

// $RIDGE_ROOT (set by the script ./ridge), or the nearest parent folder that contains labs/ and
// CMakeLists.txt. Throws UsageError with what to do.
std::filesystem::path clone_root();

std::filesystem::path program_folder();     // .../bin, which contains ridge and ridge-runner
std::filesystem::path build_folder();       // the folder above it
// .../lib/virtual, which contains the virtual GPU's libcudart.so.
std::filesystem::path virtual_libraries();

}  // namespace ridge::cli
