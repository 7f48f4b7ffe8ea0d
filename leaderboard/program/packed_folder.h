// Copies what a machine needs to grade and to serve a class, without the sources, a C++ compiler or
// Node.js.
#pragma once

#include <filesystem>

namespace ridge::leaderboard {

// Copies bin/, lib/virtual/, labs/, solutions/ and CMakeLists.txt of a clone, as far as a worker
// needs them. `programs`: the build's bin folder.
void copy_for_grading(const std::filesystem::path& programs, const std::filesystem::path& clone,
                      const std::filesystem::path& target);

}  // namespace ridge::leaderboard
