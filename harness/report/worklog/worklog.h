// A lab's worklog: a Markdown file with the graded versions from the program and the student's
// notes.
//
// The program's blocks are between two comment lines, "<!-- ridge: run 12 -->" and "<!-- ridge: end
// -->", and are rewritten each time. All other text is the student's and is kept unchanged: it
// belongs to the block above it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/report/store/store.h"
#include "text/source_difference.h"

namespace ridge::report {

// A version of a rung's file: one or more consecutive gradings of the same text.
struct GradedVersion {
  std::vector<const StoredRun*> runs;      // oldest first
  std::optional<text::LineChange> change;  // since the previous version, or the skeleton
  std::string diff;                        // the changed lines; empty: none, or unknown
};

struct RungWork {
  const course::Rung* rung = nullptr;
  std::vector<GradedVersion> versions;
};

// `runs`: the student's, oldest first. `skeleton` returns a rung's skeleton if it is known.
std::vector<RungWork> work_on(const course::Lab& lab, std::span<const StoredRun> runs,
                              const std::function<std::optional<std::string>(const std::string&)>& skeleton);

// Returns the whole file. `before` is its current content, or empty.
std::string worklog(const course::Lab& lab, std::span<const RungWork> work, const std::string& before);

}  // namespace ridge::report
