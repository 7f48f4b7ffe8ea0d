// Chooses the sizes and inputs that a file must get right.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/course/lab.h"
#include "harness/problems/inputs.h"

namespace ridge::grade {

struct PlannedCase {
  problems::Sizes sizes;
  problems::Draw draw = problems::Draw::uniform;
  uint64_t seed = 0;
  bool hidden = false;  // its sizes were drawn from the grading's seed
  bool again = false;   // the sizes of the previous case with other inputs
};

// The order: a matrix of several complete tiles, edge sizes (the largest with ascending inputs),
// hidden sizes drawn from the seed, then the rung's public sizes of at most `most_elements`
// (product of the extents). The last hidden size is used twice in a row with different inputs, most
// likely in the same memory, which detects answers that are cached by pointer or shape. Every other
// case has non-uniform inputs of a different kind. Then the largest edge size with every kind of
// inputs, and a large public size with outliers: a mistake that shows with such inputs may need
// several iterations of a loop.
std::vector<PlannedCase> plan_cases(const course::Rung& rung, const problems::Problem& problem, uint64_t seed,
                                    int64_t most_elements);

// Draws each extent from 1 to the problem's limit.
problems::Sizes hidden_sizes(const problems::Problem& problem, problems::Random& random);

// Zero to three cases of hidden sizes, to be checked before, between and after the counted calls,
// so that no file can recognise a counted call by its number.
std::vector<PlannedCase> cases_between(const problems::Problem& problem, problems::Random& random);

}  // namespace ridge::grade
