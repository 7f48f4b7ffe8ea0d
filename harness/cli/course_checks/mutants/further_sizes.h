// Sizes beyond those that a grade tries, at which a mutant is compared with its solution.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/course/lab.h"
#include "harness/problems/problem.h"

namespace ridge::cli {

// The counted size, hidden sizes, and for the constants in the source the sizes at and around them and their
// small multiples, where loops and tiles begin anew: extents of every kind, products within what the virtual
// GPU does quickly.
std::vector<problems::Sizes> further_sizes(const course::Rung& rung, const problems::Problem& problem,
                                           std::string_view source, uint64_t seed);

}  // namespace ridge::cli
