// A solution in which one place is as in the skeleton: the student forgot or overlooked that TODO.
#pragma once

#include <string_view>
#include <vector>

#include "harness/cli/course_checks/mutants/mutation.h"

namespace ridge::cli {

inline constexpr char kTodoLeft[] = "TODO left";

// One mutation for every run of code lines in which the two differ, apart from comments and blank
// lines.
std::vector<Mutation> todos_left(std::string_view skeleton, std::string_view solution);

// The lines of the skeleton, from 1, with a TODO near which the solution does not differ.
std::vector<size_t> todos_without_difference(std::string_view skeleton, std::string_view solution);

}  // namespace ridge::cli
