// tests/mutants/graded/LAB.tsv: recorded mutants and their outcomes, so that the caught fraction is
// known without grading again.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/course_checks/mutants/mutant_check.h"

namespace ridge::cli {

struct RecordedMutant {
  std::string rung;   // "1-vector-add"
  std::string state;  // hash of the rung's solution and gates
  std::string hash;   // hash of the mutant's code
  size_t line = 0;
  std::string kind;
  Fate fate = Fate::survived;
  std::string verdict;
};

// Changes with the code of the solution and the skeleton, the problem, the counted sizes and the
// gates; earlier records are then invalid.
std::string state_of(const course::Rung& rung);

// The recorded mutants of the rungs as they are: the rung's path and the hash of the mutant's code.
std::set<std::pair<std::string, std::string>> known_mutants(const course::Course& course);

// Adds the mutants to the files of their labs and drops the records of other states of their rungs;
// returns the files.
std::vector<std::filesystem::path> record_mutants(const course::Course& course,
                                                  const std::vector<Mutant>& mutants);

// Problems of the record: a rung with too few mutants of its current state, a TODO without a
// mutant, a mutant that no longer exists, or too small a caught fraction. No complaints: the record
// is valid.
struct RecordCheck {
  std::vector<std::string> complaints;
  std::vector<std::string> labs_without;  // labs without any record: not a complaint
  std::vector<Mutant> survivors;  // those without an explanation
  size_t mutants = 0;
  double part_caught = 1;
};
RecordCheck check_record(const course::Course& course);
inline constexpr size_t kLeastRecorded = 8;  // per rung, or all that it has

}  // namespace ridge::cli
