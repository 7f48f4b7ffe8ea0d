// What the sizes that came out wrong have in common and the right ones have not.
#pragma once

#include <vector>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

// Nothing where too few sizes are right to say so, or where no single extent sets them apart.
Answer sizes_apart(const problems::Problem& problem, const std::vector<problems::Sizes>& right,
                   const std::vector<problems::Sizes>& wrong);

}  // namespace ridge::grade
