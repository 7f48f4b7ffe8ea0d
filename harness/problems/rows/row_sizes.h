// Sizes at which kernels that work on whole rows go wrong.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// Few rows and long ones: one under and over each power of two that a block may hold a row of, primes, rows
// that are a multiple of 4 floats (which may be read 16 bytes at a time) and rows that are not, more rows
// than a block may take at once, and one row that no block's registers hold.
std::vector<Sizes> edge_sizes_of_rows();

}  // namespace ridge::problems
