// Which run a person means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/report/store/store.h"

namespace ridge::cli {

// "12" is a number; "last" is the newest of a rung; "-1" the one before, and so on; "best" the one with the
// highest measured percentage that passed, or the newest that passed where none was measured. "01/1:best"
// says of which rung; otherwise it is that of another run in `names`, or of the newest run. Only numbers can
// name a grading of a solution. Throws UsageError that says which runs there are.
std::vector<report::StoredRun> find_runs(std::span<const report::StoredRun> all, const course::Course& course,
                                         std::span<const std::string> names);

// The rung that a run belongs to. Throws UsageError when the course has none of that name any more.
const course::Rung& rung_of(const course::Course& course, const report::StoredRun& run);

// For help texts.
extern const char* const kRunNames;

}  // namespace ridge::cli
