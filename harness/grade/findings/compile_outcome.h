// What it means that nvcc refused a file.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/build/compile.h"
#include "harness/grade/findings/outcome.h"

namespace ridge::grade {

// `folders`: where the headers of the course are.
Outcome outcome_of_compile(const build::Compiled& compiled,
                           const std::vector<std::filesystem::path>& folders);

}  // namespace ridge::grade
