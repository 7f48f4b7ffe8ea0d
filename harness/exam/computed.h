// Computes the answers of questions by warp_model or by arithmetic.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include "harness/course/quiz.h"

namespace ridge::exam {

// An expression, or the name of a model, that is not understood.
struct ComputeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Values = std::map<std::string, int64_t>;  // what the letters of an expression stand for

// The value of a whole-number C++ expression. Throws ComputeError.
int64_t value_of(const std::string& expression, const Values& values);

// The answer of a question for a number, in the question's unit: sectors, wavefronts, blocks or warps per SM of
// an H200, or the quotient of two expressions. Throws ComputeError.
double computed_value(const course::ComputedAnswer& computed, const Values& values = {});

// The answer of a question for lanes, a bit per lane. Throws ComputeError.
uint32_t computed_lanes(const course::ComputedAnswer& computed, const Values& values = {});

}  // namespace ridge::exam
