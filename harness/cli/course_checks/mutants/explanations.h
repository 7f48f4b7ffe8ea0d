// tests/mutants/explained.toml: mutants that pass, with the reason why that is correct or cannot be
// detected.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/course_checks/mutants/mutation.h"

namespace ridge::cli {

struct Explanation {
  std::string rung;           // "01-kernel-basics/4-float4"
  std::string before, after;  // the changed line, as in Mutation
  std::string why;
};

// Throws CourseError for a damaged table; empty when the clone has none.
std::vector<Explanation> load_explanations(const std::filesystem::path& root);

// nullptr when there is none.
const Explanation* find_explanation(const std::vector<Explanation>& all, const std::string& rung,
                                    const Mutation& mutation);

}  // namespace ridge::cli
