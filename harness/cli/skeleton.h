// Finds the skeleton of a rung after the student has edited it.
#pragma once

#include <filesystem>
#include <string>

#include "harness/cli/runs/records.h"

namespace ridge::cli {

// The newest version of the file in git's history that still has the mark, so that commits of the
// student's own work are skipped. Without git, the text that was first stored here. Throws
// MachineError when there is neither.
std::string skeleton_of(const std::filesystem::path& root, const course::Rung& rung, Records& records);

}  // namespace ridge::cli
