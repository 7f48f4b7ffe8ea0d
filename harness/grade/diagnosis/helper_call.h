// Explains a call of one of the course's functions that nvcc could not match. nvcc lists every
// overload with all attributes; a student needs to know which call it is, and the parameters of the
// function.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/grade/findings/finding.h"

namespace ridge::grade {

// The first such call in nvcc's messages. `folders`: the folders of the course's headers.
std::optional<Finding> mismatched_helper(std::string_view messages,
                                         const std::vector<std::filesystem::path>& folders);

}  // namespace ridge::grade
