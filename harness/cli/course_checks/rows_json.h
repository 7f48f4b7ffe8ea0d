// The rows of a check as JSON: `ridge check --json`, `-o FILE`, and course/measured/*/cheats.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/course_checks/course_check.h"

namespace ridge::cli {

std::string rows_to_json(const std::vector<CheckRow>& rows);

// Throws CourseError, which names `shown`, for what is no such text.
std::vector<CheckRow> rows_from_json(std::string_view text, const std::string& shown);

}  // namespace ridge::cli
