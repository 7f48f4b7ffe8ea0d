// A lab's worklog: a Markdown file in which the program keeps what was graded, and the student what he
// thought.
//
// What the program writes stands between two comment lines, "<!-- ridge: run 12 -->" and "<!-- ridge: end
// -->", and is written anew each time. Everything else in the file is the student's and is kept to the
// letter: it belongs to the block above it.
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

// A version of a rung's file: one or more gradings of the same text in a row.
struct GradedVersion {
  std::vector<const StoredRun*> runs;      // the oldest first
  std::optional<text::LineChange> change;  // since the version before, or the skeleton
  std::string diff;                        // the changed lines; empty: none, or not known
};

struct RungWork {
  const course::Rung* rung = nullptr;
  std::vector<GradedVersion> versions;
};

// `runs`: the student's, the oldest first. `skeleton` gives a rung's, where it is known.
std::vector<RungWork> work_on(const course::Lab& lab, std::span<const StoredRun> runs,
                              const std::function<std::optional<std::string>(const std::string&)>& skeleton);

// The whole file. `before` is what it held; empty when there is none.
std::string worklog(const course::Lab& lab, std::span<const RungWork> work, const std::string& before);

}  // namespace ridge::report
