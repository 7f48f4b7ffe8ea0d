// The course map of `ridge list`.
#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/course/lab.h"
#include "harness/report/store/store.h"
#include "harness/report/text/terminal.h"

namespace ridge::report {

// `untouched`: rungs whose file is the skeleton; they are "not started" unless another version was
// graded. Shows labs, rungs, verdicts, progress bar, and the best percentage of a version that
// passed, by device if there are several, or "virtual" when only the virtual GPU has passed it.
std::string show_course(const course::Course& course, const std::map<std::string, RungRecord>& records,
                        const Style& style, const std::set<std::string>& untouched = {});
// "█████░░░░░ 5/10"
std::string progress_bar(size_t done, size_t all, size_t cells);

}  // namespace ridge::report
