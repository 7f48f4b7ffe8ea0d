// What rungs of lab 00 compute: x = x / 2 + 1, some number of times, which leads to 2.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// The expected values of `buffer` after `steps` steps on each of `x`.
Expected relaxed(std::span<const float> x, int64_t steps, size_t buffer);

}  // namespace ridge::problems
