// Finds a property that separates the wrong sizes from the right ones.
#pragma once

#include <vector>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

// Returns nothing when too few sizes are right, or when no single extent separates them.
Answer sizes_apart(const problems::Problem& problem, const std::vector<problems::Sizes>& right,
                   const std::vector<problems::Sizes>& wrong);

}  // namespace ridge::grade
