// tests/mutants/graded/LAB.tsv: mutants that were graded and what became of them, so that the part that is
// caught is known without grading them again.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/course_checks/mutants/mutant_check.h"

namespace ridge::cli {

struct RecordedMutant {
  std::string rung;   // "1-vector-add"
  std::string state;  // of the rung: its solution and gates
  std::string hash;   // of the mutant's code
  size_t line = 0;
  std::string kind;
  Fate fate = Fate::survived;
  std::string verdict;
};

// Changes with the code of the solution and the skeleton, the problem, the counted sizes and the gates: what was
// graded before says nothing then.
std::string state_of(const course::Rung& rung);

// Adds these to their labs' files and drops what is recorded of another state of their rungs; returns the
// files.
std::vector<std::filesystem::path> record_mutants(const course::Course& course,
                                                  const std::vector<Mutant>& mutants);

// What the record lacks: a rung with too few mutants of its present state, a TODO that was not left, a mutant
// that is none any more; and too small a part that is caught. Empty: it holds.
struct RecordCheck {
  std::vector<std::string> complaints;
  std::vector<std::string> labs_without;  // of which nothing is recorded: no complaint
  size_t mutants = 0;
  double part_caught = 1;
};
RecordCheck check_record(const course::Course& course);
inline constexpr size_t kLeastRecorded = 8;  // of a rung, or all that it has

}  // namespace ridge::cli
