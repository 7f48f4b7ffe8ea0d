// The sizes of a convolution as names, and which of them are possible.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

inline constexpr int64_t kLargestFilter = 7, kLargestStride = 2, kLargestPadding = 3;

// The outputs along one dimension: the filter's places within `padding` zeros, `length` elements
// and `padding` zeros, every `stride`.
inline int64_t outputs_along(int64_t length, int64_t r, int64_t stride, int64_t padding) {
  return (length + 2 * padding - r) / stride + 1;
}

// As in the order of Problem::size_names.
struct ConvolutionShape {
  int64_t n, h, w, c, k, r, stride, padding;
  explicit ConvolutionShape(const Sizes& s)
      : n(s[0]), h(s[1]), w(s[2]), c(s[3]), k(s[4]), r(s[5]), stride(s[6]), padding(s[7]) {}

  int64_t p() const { return outputs_along(h, r, stride, padding); }
  int64_t q() const { return outputs_along(w, r, stride, padding); }
  int64_t pixels() const { return n * p() * q(); }  // of the output
  int64_t terms() const { return r * r * c; }       // of an output
};

// Limits the filter, the stride and the padding, and makes each length large enough for one place
// of the filter.
Sizes possible_filter_1d(const Sizes& sizes);
Sizes possible_convolution(const Sizes& sizes);

}  // namespace ridge::problems
