// What the buffers that come back from one call show: writes outside them, changed inputs, wrong
// answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/grade/findings/learner_source.h"
#include "harness/grade/findings/outcome.h"
#include "harness/problems/problem.h"
#include "harness/runner/session.h"

namespace ridge::grade {

// "for n = 33": the case as findings name it.
std::string where_in(const problems::Case& given);

// Checks the returned buffers of one case: writes outside a buffer, changed inputs, wrong answers,
// in that order. `expected` is the problem's reference if it is already computed; `source` is the
// file, if it can explain a wrong answer.
std::optional<Outcome> examine(const problems::Case& given, const std::vector<runner::Returned>& returned,
                               const std::vector<problems::Expected>* expected = nullptr,
                               const LearnerSource* source = nullptr);

// SUSPECT: the values of `array` changed between two reads.
Outcome changed_while_compared(const problems::Case& given, const std::string& array);

}  // namespace ridge::grade
