// A call of one of the course's own functions that nvcc could not match: nvcc lists every form of it with all
// its attributes; a learner needs to know which call, and what the function takes.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/grade/findings/finding.h"

namespace ridge::grade {

// The first such call in nvcc's messages. `folders`: where the headers of the course are.
std::optional<Finding> mismatched_helper(std::string_view messages,
                                         const std::vector<std::filesystem::path>& folders);

}  // namespace ridge::grade
