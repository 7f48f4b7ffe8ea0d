// Translates a finding of the virtual GPU's checks to a verdict and sentences with the student's
// own names.
#pragma once

#include <string>
#include <string_view>

#include "harness/grade/findings/learner_source.h"
#include "harness/grade/findings/outcome.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// `kernel`: the demangled name of the kernel that the finding is about. Without the source the
// sentences use the names of the compiled code.
Outcome outcome_of(const trace::Finding& finding, const std::string& during, const LearnerSource& source = {},
                   std::string_view kernel = {});

}  // namespace ridge::grade
