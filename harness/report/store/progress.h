// What a grading means for the student beyond the verdict: the gain over earlier versions and over
// the rung before, the reason, which rung teaches what is missing, and what comes next.
#pragma once

#include <span>
#include <string>

#include "harness/course/lab.h"
#include "harness/report/store/past_run.h"

namespace ridge::report {

// Lines for the end of the details; "" when there is nothing to report. `earlier`: the student's
// earlier runs of this rung, oldest first. `before`: runs of the rung before.
std::string show_progress(const course::Course& course, const course::Rung& rung, const grade::Result& result,
                          std::span<const PastRun> earlier, std::span<const PastRun> before);

// After a pass: the distance to gold, and the next rung with its subject.
std::string next_after_pass(const course::Course& course, const course::Rung& rung,
                            const grade::Result& result);

}  // namespace ridge::report
