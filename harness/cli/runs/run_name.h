// Parses the names of runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/report/store/store.h"

namespace ridge::cli {

// "12" is a number; "last" is the newest run of a rung, "-1" the one before it, and so on; "best"
// is the passing run with the highest measured percentage, or the newest passing run where none was
// measured. "01/1:best" names the rung; without it the rung is that of another run in `names`, or
// of the newest run. Only a number can name a grading of a solution. Throws UsageError that lists
// the existing runs.
std::vector<report::StoredRun> find_runs(std::span<const report::StoredRun> all, const course::Course& course,
                                         std::span<const std::string> names);

// The rung of a run. Throws UsageError when the course no longer has a rung of that name.
const course::Rung& rung_of(const course::Course& course, const report::StoredRun& run);

// The part of help texts on names of runs.
extern const char* const kRunNames;

}  // namespace ridge::cli
