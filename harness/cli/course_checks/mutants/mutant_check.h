// Grades solutions with a mistake made by machine (mutation.h): each must fail, or be explained.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/course_checks/mutants/mutation.h"
#include "harness/course/lab.h"
#include "harness/grade/verdict.h"

namespace ridge::cli {

enum class Fate {
  caught,     // it does not pass
  stillborn,  // nvcc refuses it
  same_code,  // nvcc makes the same PTX of it: no mistake
  equivalent, // it passes, and neither gives other answers nor does more work than the solution: no mistake
  explained,  // it passes, and tests/mutants/explained.toml says why that is right or cannot be seen
  survived    // it passes
};

struct Mutant {
  std::string rung;
  Mutation mutation;
  Fate fate = Fate::survived;
  std::string verdict, why;  // why: of an explained one; of a survivor how it differs from the solution
};

struct MutantOptions {
  size_t count = 0;  // so many of all, drawn from the seed; 0: all
  uint64_t seed = 1;
  unsigned workers = 1;
  bool all_todos = false;  // the skeleton's TODOs, each left, beside the `count`
};

// Throws CourseError for a damaged table of explanations.
std::vector<Mutant> check_mutants(const course::Course& course, const std::vector<const course::Rung*>& rungs,
                                  const MutantOptions& options,
                                  const std::function<void(size_t, size_t)>& done);

// Caught of those that are a mistake: neither stillborn, nor the same code, equivalent or explained. 1 for
// none.
double part_caught(const std::vector<Mutant>& mutants);
inline constexpr double kLeastCaught = 0.98;

}  // namespace ridge::cli
