// What a grading means for the learner, beyond the verdict: what was won against the versions before and the
// rung before, why, which rung teaches what is missing, and what comes next.
#pragma once

#include <span>
#include <string>

#include "harness/course/lab.h"
#include "harness/report/store/past_run.h"

namespace ridge::report {

// Lines for the end of the details; "" when there is nothing to say. `earlier`: the learner's runs of this
// rung, the oldest first, this one not among them. `before`: of the rung before.
std::string show_progress(const course::Course& course, const course::Rung& rung, const grade::Result& result,
                          std::span<const PastRun> earlier, std::span<const PastRun> before);

// After a pass: how far gold is, which rung is next and what it is about.
std::string next_after_pass(const course::Course& course, const course::Rung& rung,
                            const grade::Result& result);

}  // namespace ridge::report
