// Explains from the measurements of a GPU why a kernel is slow: what bounds its work, how close it
// is to that roof, and what helps.
#pragma once

#include <string>

#include "harness/grade/grade.h"

namespace ridge::grade {

// "The work is bound by memory: its bytes need 0.1000 ms at a copy's measured rate, so it is at 32%
// of its roof." "" when no roof is known.
std::string bound_sentence(const Measured& measured);
// The advice that belongs to it.
std::string bound_advice(const Measured& measured);

}  // namespace ridge::grade
