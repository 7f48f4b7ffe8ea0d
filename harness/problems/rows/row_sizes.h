// Sizes at which kernels that process complete rows often fail.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// Few and long rows: one below and above each power of two that a block may hold, primes, rows that
// are a multiple of 4 floats (which may be read 16 bytes at a time) and rows that are not, more
// rows than a block may process at once, and one row that exceeds a block's registers.
std::vector<Sizes> edge_sizes_of_rows();

}  // namespace ridge::problems
