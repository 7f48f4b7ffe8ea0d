// tests/cheats: files that try to get a grade they have not earned, and honest ones that look like them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/course_checks/course_check.h"

namespace ridge::cli {

struct Cheat {
  std::filesystem::path file, headers;  // headers: the folder of those that several include
  std::string rung, twin, stopped_by;
  std::string virtual_skip;  // why it is left out on the virtual GPU; "" when it is not
  bool needs_sandboxed_compiler =
      false;  // it is stopped by what nvcc does not see: left out where there is no sandbox
  bool honest = false;
  bool gains_nothing = false;                      // on a GPU it may pass, but no better than its twin
  std::vector<grade::Verdict> on_virtual, on_gpu;  // any of them is right
};

// tests/cheats/cheats.toml; empty when the clone has none. Throws CourseError for a damaged table, a file
// that it does not list, and a cheat whose twin is not an honest file of the table.
std::vector<Cheat> load_cheats(const std::filesystem::path& root);

// Called after each file with the rows that are there, never twice at once.
using CheatsDone = std::function<void(const std::vector<CheckRow>& rows, size_t all)>;

struct CheatChoice {
  size_t most = SIZE_MAX;  // at most so many files, drawn from the seed
  uint64_t seed = 0;
  // Of an earlier run that was cut off: rows that are right and whose files are unchanged are taken over.
  std::vector<CheckRow> known = {};
};
// Grades those of `rungs` on one engine, `workers` at a time (on a GPU: compiles so many), and holds their
// verdicts against the table.
std::vector<CheckRow> check_cheats(const course::Course& course,
                                   const std::vector<const course::Rung*>& rungs, grade::Engine engine,
                                   unsigned workers, const CheatChoice& choice, const CheatsDone& done);

}  // namespace ridge::cli
