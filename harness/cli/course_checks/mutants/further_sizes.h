// Sizes beyond those of a grade, at which a mutant is compared with its solution.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/course/lab.h"
#include "harness/problems/problem.h"

namespace ridge::cli {

// The counted size, hidden sizes, and sizes derived from constants in the source: the constants,
// their neighbours and their small multiples, at which loops and tiles begin again. The products of
// extents are limited to what the virtual GPU executes quickly.
std::vector<problems::Sizes> further_sizes(const course::Rung& rung, const problems::Problem& problem,
                                           std::string_view source, uint64_t seed);

}  // namespace ridge::cli
