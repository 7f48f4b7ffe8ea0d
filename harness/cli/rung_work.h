// What both the commands and watch mode do with one rung.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "harness/cli/runs/records.h"
#include "harness/report/store/json.h"

namespace ridge::cli {

using Progress = std::function<void(std::string_view)>;

// The student's file, or the reference. Throws MachineError, which says what brings it back, when it is gone.
const std::filesystem::path& source_of(const course::Rung& rung, bool solution);

// Compiled kernels: .ridge/cache in the clone that the rung belongs to, or one's own where that is not
// writable.
std::filesystem::path cache_folder(const course::Rung& rung);

// The rungs whose file is the untouched skeleton.
std::set<std::string> untouched_rungs(const course::Course& course);

// Grades and records.
report::Graded grade_and_record(const course::Rung& rung, bool solution, grade::Engine engine,
                                Records& records, const Progress& progress);

// A file that was handed in: graded as the student's would be, and nothing is kept here.
report::Graded grade_file(const course::Rung& rung, const std::filesystem::path& file, grade::Engine engine,
                          const Progress& progress);

struct Traced {
  report::Graded graded;
  std::filesystem::path file;
  uint64_t bytes = 0;  // 0: no trace was written; the verdict says why
  std::string told;    // "4 blocks, 18,432 records", and what was left out
};
struct RecordingOptions {
  bool solution = false;
  std::string blocks;        // as trace/environment.h has them; empty: the default and the scene's
  uint64_t limit_bytes = 0;  // 0: the default
};
Traced trace_rung(const course::Rung& rung, const RecordingOptions& recording,
                  const std::filesystem::path& file, const Progress& progress);
std::filesystem::path default_trace_file(const std::filesystem::path& root, const course::Rung& rung,
                                         bool solution);
// The newest of the rung's traces, of the learner's file or the reference; empty: there is none.
std::filesystem::path newest_trace(const std::filesystem::path& root, const course::Rung& rung);

// The next hint, remembered as used; after the third, that one again. Lines of `width` columns.
std::string next_hint(const course::Rung& rung, Records& records, size_t width);

// Puts the skeleton back and keeps the student's version beside it, whose name is returned: "" when
// there was no file, none when it was the skeleton already. Throws MachineError when no skeleton is to be had
// or nothing can be written: then nothing changed.
std::optional<std::filesystem::path> reset_rung(const std::filesystem::path& root, const course::Rung& rung,
                                                Records& records);

}  // namespace ridge::cli
