// Which sizes and inputs a file must get right.
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
  bool again = false;   // the sizes of the case before, with other inputs
};

// A whole matrix of several tiles, edge sizes (the largest with ascending inputs), hidden ones drawn from the seed, then the rung's public sizes of at most `most_elements` (all
// extents multiplied). The last hidden one comes twice in a row, in the same memory most likely, with other
// inputs: an answer kept by pointer or by shape is wrong then. Every other one has inputs that are not
// uniform, another kind each time.
std::vector<PlannedCase> plan_cases(const course::Rung& rung, const problems::Problem& problem, uint64_t seed,
                                    int64_t most_elements);

// Each extent from 1 to the problem's limit.
problems::Sizes hidden_sizes(const problems::Problem& problem, problems::Random& random);

// None to three cases of hidden sizes, to be checked before, between and after the counted calls: no file can
// tell a counted call by its number.
std::vector<PlannedCase> cases_between(const problems::Problem& problem, problems::Random& random);

}  // namespace ridge::grade
