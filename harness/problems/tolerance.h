// The allowed distance of a right answer from the double reference.
#pragma once

#include <cmath>

#include "harness/problems/element.h"

namespace ridge::problems {

// `magnitude` is the sum of the absolute values of the terms of the element, `length` their number.
//
// A sum of k rounded terms errs by about sqrt(k) unit roundoffs of its magnitude when roundings are
// independent. Twice that, plus two roundings for the products and the store, is valid for any
// order of summation and for fused or separate multiply-adds. A computation in TF32 or float16 (11
// significant bits) errs by 2^-11 / sqrt(k) of the magnitude, which is larger than this tolerance
// for every k up to 4096: such a kernel fails.
inline float tolerance_of(Type type, int64_t length, double magnitude) {
  double roundings = 2 + 2 * std::sqrt(static_cast<double>(length));
  double tolerance = roundings * unit_roundoff(type) * magnitude + smallest_normal(type);
  return static_cast<float>(tolerance);
}

}  // namespace ridge::problems
