// Whether a mutant that passes is a mistake at all: held against its solution at more sizes than a grade tries.
#pragma once

#include <string>

#include "harness/build/compile.h"
#include "harness/course/lab.h"

namespace ridge::cli {


struct Equivalence {
  bool is_equivalent = false;
  std::string difference;  // the first that was found
};

// Runs both on the virtual GPU. Equivalent: the mutant gives right answers, without a finding, at every size,
// and does not execute more instructions, touch more bytes or start more threads than the solution by more
// than 10% at the counted size and by more than the half elsewhere.
Equivalence compare_with_solution(const course::Rung& rung, const build::Compiled& solution,
                                  const build::Compiled& mutant, uint64_t seed);

}  // namespace ridge::cli
