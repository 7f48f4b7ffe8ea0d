// Grades solutions with an automatic mutation (mutation.h): each mutant must fail or be explained.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/course_checks/mutants/mutation.h"
#include "harness/course/lab.h"
#include "harness/grade/verdict.h"

namespace ridge::cli {

enum class Fate {
  caught,     // it does not pass
  stillborn,  // nvcc rejects it
  same_code,  // nvcc generates the same PTX and the same code of the host: not a mistake
  equivalent, // it passes, with the same answers and no more work than the solution: not a mistake
  // It passes, and tests/mutants/explained.toml says why that is correct or cannot be detected.
  explained,
  survived    // it passes
};

struct Mutant {
  std::string rung;
  Mutation mutation;
  Fate fate = Fate::survived;
  // Why: for an explained mutant the reason, for a survivor how it differs from the solution.
  std::string verdict, why;
};

struct MutantOptions {
  size_t count = 0;  // number of mutants drawn from the seed; 0: all
  uint64_t seed = 1;
  unsigned workers = 1;
  bool all_todos = false;  // also every mutant that keeps one of the skeleton's TODOs
  // Mutants that are left out: by the rung's path and the hash of their code (hash_of_code).
  std::set<std::pair<std::string, std::string>> known = {};
};

// Hashes the code only: a changed comment makes no new mutant.
std::string hash_of_code(const std::string& source);

// In an order drawn from the seed, so that a run which is cut off has graded a fair sample. `done` is
// called after each mutant, by one thread at a time, with the number of finished mutants and of all.
// Throws CourseError for a damaged table of explanations.
std::vector<Mutant> check_mutants(const course::Course& course, const std::vector<const course::Rung*>& rungs,
                                  const MutantOptions& options,
                                  const std::function<void(const Mutant&, size_t, size_t)>& done);

// The fraction of real mistakes that is caught: mutants that are stillborn, same_code, equivalent
// or explained are excluded. 1 when none remains.
double part_caught(const std::vector<Mutant>& mutants);
inline constexpr double kLeastCaught = 0.98;

}  // namespace ridge::cli
