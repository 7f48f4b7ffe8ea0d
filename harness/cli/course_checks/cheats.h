// tests/cheats: files that try to get an undeserved grade, and honest files that look similar.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/course_checks/course_check.h"

namespace ridge::cli {

struct Cheat {
  std::filesystem::path file, headers;  // headers: the folder of shared headers
  std::string rung, twin, stopped_by;
  std::string virtual_skip;  // why it is skipped on the virtual GPU; "" when it is not
  bool needs_sandboxed_compiler =
      false;  // the sandbox detects it, nvcc does not: skipped without a sandbox
  bool honest = false;
  // On a GPU it may pass, but no faster than its twin.
  bool gains_nothing = false;
  std::vector<grade::Verdict> on_virtual, on_gpu;  // any of these verdicts is expected
};

// Reads tests/cheats/cheats.toml; empty when the clone has none. Throws CourseError for a damaged
// table, for a file that the table does not list, and for a cheat whose twin is not an honest file
// of the table.
std::vector<Cheat> load_cheats(const std::filesystem::path& root);

// Called after each file with the rows so far, never concurrently.
using CheatsDone = std::function<void(const std::vector<CheckRow>& rows, size_t all)>;

struct CheatChoice {
  size_t most = SIZE_MAX;  // at most so many files, drawn from the seed
  uint64_t seed = 0;
  // The rows of an earlier run that was cut off: those that are right and whose files are unchanged
  // are taken over.
  std::vector<CheckRow> known = {};
};
// Grades the files of `rungs` on one engine, `workers` at a time (on a GPU: compiles in parallel),
// and compares the verdicts with the table.
std::vector<CheckRow> check_cheats(const course::Course& course,
                                   const std::vector<const course::Rung*>& rungs, grade::Engine engine,
                                   unsigned workers, const CheatChoice& choice, const CheatsDone& done);

}  // namespace ridge::cli
