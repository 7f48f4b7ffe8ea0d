// Whether two compiled files do the same: the same PTX, and the same machine code of the host.
#pragma once

#include <filesystem>

namespace ridge::cli {

// Compares two objects that were compiled with --compress-mode=none from files whose paths have the
// same length: names of files and lines are left out, but the code refers to data by their distance.
// A difference of the host's code (the arguments of a launch) is one too.
bool is_same_code(const std::filesystem::path& object, const std::filesystem::path& other);

}  // namespace ridge::cli
