// The checks of `ridge check` for every rung of the course.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/grade/grade.h"

namespace ridge::cli {

struct CheckRow {
  std::string rung;      // "01-kernel-basics/1-vector-add"
  std::string what;      // "skeleton", "solution", "known wrong: no-guard", "files", "hints"
  std::string expected;  // "fails", "passes", "OUT OF BOUNDS"
  std::string got;
  bool ok = false;
  std::string explanation;  // when not ok
  double seconds = 0;
  std::string summary = {};  // the grader's sentence, of files that were graded
  std::vector<std::pair<std::string, double>> counts = {};  // grade::Result::all_counts
  std::optional<double> percent = {};  // of the baseline, on a GPU
  std::string sha256 = {};             // of a cheat and the headers of tests/cheats, as they were graded
};

// Checks that run nothing: unlisted files, marks in skeletons and solutions, hints, rungs without a
// known-wrong file.
std::vector<CheckRow> check_files(const course::Course& course,
                                  const std::vector<const course::Rung*>& rungs);

// Writes labs/LAB/skeletons.sha256 for the labs of these rungs, from the current skeletons; returns
// the files.
std::vector<std::filesystem::path> record_skeletons(const course::Course& course,
                                                    const std::vector<const course::Rung*>& rungs);

// Parses "// expect: OUT OF BOUNDS" in the first line. Throws CourseError that names the file.
grade::Verdict expected_verdict(const std::filesystem::path& known_wrong);
// The identifier of "// finding: ..." in the file's first comment, and the words of "// says: ..."
// there, which the explanation must hold; "" where there is none.
std::string expected_finding(const std::filesystem::path& known_wrong);
std::string expected_words(const std::filesystem::path& known_wrong);

inline constexpr size_t kAllKnownWrong = SIZE_MAX;

struct CheckChoice {
  size_t most_wrong = kAllKnownWrong;  // known-wrong files per rung, and honest files per rung
  bool skeletons = true;
  bool families = true;
  size_t most_files = SIZE_MAX;  // of all rungs together; more are left out by chance
  uint64_t seed = 0;             // of that choice
  std::optional<uint64_t> inputs = {};  // the seed of each grade; else drawn anew
};
// Grades skeletons, solutions, families, and the first known-wrong and honest files (tests/cheats)
// of each rung on the virtual GPU, `workers` at a time. `done` is called after each, never
// concurrently.
std::vector<CheckRow> check_by_grading(const course::Course& course,
                                       const std::vector<const course::Rung*>& rungs,
                                       const CheckChoice& choice, unsigned workers,
                                       const std::function<void(size_t done, size_t all)>& done);

}  // namespace ridge::cli
