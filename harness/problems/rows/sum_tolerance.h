// The tolerance of sums and prefix sums of many float32 elements.
#pragma once

#include <cmath>

#include "harness/problems/element.h"

namespace ridge::problems {

// The sum of all magnitudes would be far too large a bound: for n numbers uniform in [-1, 1] it is
// n / 2, and their sum about sqrt(n / 3). The rounding error depends on the partial sums. A kernel
// sums about 256 numbers in a tree, whose partial sums are about the root of the sum of squares; in
// the worst case it then adds n / 256 such sums one after another, whose partial sums are about the
// largest prefix. Independent roundings grow like the root of their number. The tolerance is four
// times that.
inline float tolerance_of_sum(int64_t n, double root_of_squares, double largest_prefix) {
  const double roundings = 8 + std::sqrt(static_cast<double>(n) / 256);
  const double partial_sums = largest_prefix + 4 * root_of_squares;
  return static_cast<float>(4 * roundings * unit_roundoff(Type::float32) * partial_sums +
                            smallest_normal(Type::float32));
}

}  // namespace ridge::problems
