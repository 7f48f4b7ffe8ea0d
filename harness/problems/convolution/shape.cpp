#include "harness/problems/convolution/shape.h"

#include <algorithm>

namespace ridge::problems {

namespace {

void limit_filter(int64_t& r, int64_t& stride, int64_t& padding) {
  r = std::min(r, kLargestFilter);
  stride = std::min(stride, kLargestStride);
  padding = std::min(padding, kLargestPadding);
}

}  // namespace

Sizes possible_filter_1d(const Sizes& sizes) {
  Sizes possible = sizes;  // n, r, stride, padding
  limit_filter(possible[1], possible[2], possible[3]);
  possible[0] = std::max(possible[0], possible[1] - 2 * possible[3]);
  return possible;
}

Sizes possible_convolution(const Sizes& sizes) {
  Sizes possible = sizes;
  limit_filter(possible[5], possible[6], possible[7]);
  for (const size_t length : {1, 2})
    possible[length] = std::max(possible[length], possible[5] - 2 * possible[7]);
  return possible;
}

}  // namespace ridge::problems
