// The lengths of the sequences of a ragged batch, which lie one behind the other in one array.
#pragma once

#include <vector>

#include "harness/problems/inputs.h"

namespace ridge::problems {

// `sequences` lengths whose sum is `total`. uniform: the lengths follow from the arguments alone, so
// that the work of a size is known: a geometric sequence from the longest to 1/160 of it, shuffled;
// from four sequences on, one of them is empty. Every other draw: lengths around those of tiles, 0
// and 1 among them, and one sequence gets what is left.
std::vector<int64_t> ragged_lengths(int64_t sequences, int64_t total, Draw draw, uint64_t seed);

// [sequences + 1]: where each sequence begins and, last, where all end.
std::vector<int64_t> starts_of(const std::vector<int64_t>& lengths);

}  // namespace ridge::problems
