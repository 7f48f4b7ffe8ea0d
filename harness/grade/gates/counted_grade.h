// The grade of a file on the virtual GPU, once its answers are right: its counts at two sizes,
// against the rung's gates.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "harness/build/compile.h"
#include "harness/grade/correctness.h"
#include "harness/grade/findings/outcome.h"
#include "harness/grade/grade.h"

namespace ridge::grade {

struct CountedGrade {
  const Request& request;
  const problems::Problem& problem;
  const build::Compiled& compiled;
  const std::filesystem::path& report;  // the virtual GPU's
  std::function<void(std::string_view)> progress;
};

// Counts one call at the rung's virtual_size and one at a hidden size, with calls between that are
// not counted. Fills the counts, gates and cases of `result`; the outcome is PASS or what stops it.
Outcome grade_by_counts(const CountedGrade& work, CaseChecker& checker, Result& result);

}  // namespace ridge::grade
