// Operations on one rung that the commands and watch mode share.
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

// The student's file, or the reference. Throws MachineError when it is missing, with the command
// that restores it.
const std::filesystem::path& source_of(const course::Rung& rung, bool solution);

// The cache of compiled kernels: .ridge/cache in the rung's clone, or the user's own where that is
// not writable.
std::filesystem::path cache_folder(const course::Rung& rung);

// The rungs whose file is the untouched skeleton.
std::set<std::string> untouched_rungs(const course::Course& course);

// Grades a rung and records the result.
report::Graded grade_and_record(const course::Rung& rung, bool solution, grade::Engine engine,
                                Records& records, const Progress& progress);

// Grades a file that was handed in as if it were the student's; records nothing. `seed`: of its
// hidden sizes and inputs, drawn if there is none.
report::Graded grade_file(const course::Rung& rung, const std::filesystem::path& file, grade::Engine engine,
                          std::optional<uint64_t> seed, const Progress& progress);

struct Traced {
  report::Graded graded;
  std::filesystem::path file;
  uint64_t bytes = 0;  // 0: no trace was written; the verdict says why
  std::string contents;  // "4 blocks, 18,432 records", and what was dropped
};
struct RecordingOptions {
  bool solution = false;
  std::string blocks;        // as in trace/environment.h; empty: the default and the scene's blocks
  uint64_t limit_bytes = 0;  // 0: the default
};
Traced trace_rung(const course::Rung& rung, const RecordingOptions& recording,
                  const std::filesystem::path& file, const Progress& progress);
std::filesystem::path default_trace_file(const std::filesystem::path& root, const course::Rung& rung,
                                         bool solution);
// The newest trace of the rung, of the student's file or the reference; empty when there is none.
std::filesystem::path newest_trace(const std::filesystem::path& root, const course::Rung& rung);

// The next hint, which is recorded as used; after the third hint, the third again. Wrapped at
// `width` columns.
std::string next_hint(const course::Rung& rung, Records& records, size_t width);

// Restores the skeleton and keeps the student's version in a file whose name is returned: "" when
// there was no file, nullopt when it was the skeleton already. Throws MachineError and changes
// nothing when no skeleton is available or nothing can be written.
std::optional<std::filesystem::path> reset_rung(const std::filesystem::path& root, const course::Rung& rung,
                                                Records& records);

}  // namespace ridge::cli
