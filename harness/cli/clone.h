// Where things are: the student's clone, and the build that this program is part of.
#pragma once

#include <filesystem>

namespace ridge::cli {

// $RIDGE_ROOT (the script ./ridge sets it), or the nearest folder upwards that holds labs/ and
// CMakeLists.txt. Throws UsageError that says what to do.
std::filesystem::path clone_root();

std::filesystem::path program_folder();     // .../bin, which holds ridge and ridge-runner
std::filesystem::path build_folder();       // the one above
std::filesystem::path virtual_libraries();  // .../lib/virtual, which holds the virtual GPU's libcudart.so

}  // namespace ridge::cli
