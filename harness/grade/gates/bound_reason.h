// Why a kernel that was timed on a GPU is slow, from what was measured: what bounds its work, how near it
// comes to that roof, and what helps there.
#pragma once

#include <string>

#include "harness/grade/grade.h"

namespace ridge::grade {

// "The work is bound by memory: its bytes need 0.1000 ms at a copy's measured rate, so it is at 32% of its
// roof." "" when no roof is known.
std::string bound_sentence(const Measured& measured);
// What to do about it.
std::string bound_advice(const Measured& measured);

}  // namespace ridge::grade
