// Decides whether a mutant that passes is a mistake, by comparing it with its solution at more
// sizes than a grade tries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/build/compile.h"
#include "harness/course/lab.h"

namespace ridge::cli {


struct Amounts {
  double instructions = 0, bytes = 0, threads = 0;  // warp instructions, bytes asked of global memory
};

// What a file does at a list of sizes on the virtual GPU.
struct Behaviour {
  std::string finding;           // "" when every answer is correct and there is no finding
  std::vector<Amounts> amounts;  // one entry per size
};

// At the sizes that further_sizes() draws from the solution's text and the seed.
Behaviour behaviour_of(const course::Rung& rung, const build::Compiled& compiled,
                       std::string_view solution, uint64_t seed);

struct Equivalence {
  bool is_equivalent = false;
  std::string difference;  // the first difference found
};

// The mutant is equivalent when it gives correct answers without a finding at every size, and when
// it exceeds the solution's instructions, bytes and threads by at most 10% at the counted size and
// by at most one half elsewhere. `of_solution` was found with the same text and seed.
Equivalence compare_with_solution(const course::Rung& rung, const Behaviour& of_solution,
                                  const build::Compiled& mutant, std::string_view solution,
                                  uint64_t seed);

}  // namespace ridge::cli
