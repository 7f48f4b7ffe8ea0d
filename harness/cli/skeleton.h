// Where the skeleton of a rung comes from after the student has written over it.
#pragma once

#include <filesystem>
#include <string>

#include "harness/cli/runs/records.h"

namespace ridge::cli {

// The newest version of the file in git's history that still has the mark: a student who commits their work
// moves past it. Without git, the text that was first seen here. Throws MachineError when there is neither.
std::string skeleton_of(const std::filesystem::path& root, const course::Rung& rung, Records& records);

}  // namespace ridge::cli
