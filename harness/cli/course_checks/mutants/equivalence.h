// Decides whether a mutant that passes is a mistake, by comparing it with its solution at more
// sizes than a grade tries.
#pragma once

#include <string>

#include "harness/build/compile.h"
#include "harness/course/lab.h"

namespace ridge::cli {


struct Equivalence {
  bool is_equivalent = false;
  std::string difference;  // the first difference found
};

// Runs both on the virtual GPU. The mutant is equivalent when it gives correct answers without a
// finding at every size, and when it exceeds the solution's instructions, bytes and threads by at
// most 10% at the counted size and by at most one half elsewhere.
Equivalence compare_with_solution(const course::Rung& rung, const build::Compiled& solution,
                                  const build::Compiled& mutant, uint64_t seed);

}  // namespace ridge::cli
