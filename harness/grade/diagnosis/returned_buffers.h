// What the buffers that come back from one call show: writes outside them, changed inputs, wrong
// answers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/grade/findings/outcome.h"
#include "harness/problems/problem.h"
#include "harness/runner/session.h"

namespace ridge::grade {

// "for n = 33": the case as findings name it.
std::string where_in(const problems::Case& given);

// Checks the returned buffers of one case: writes outside a buffer, changed inputs, wrong answers,
// in that order. `expected` is the problem's reference if it is already computed. `adds_atomically`
// (atomic_adds.h) is asked when an output holds NaN everywhere, as it did before the call.
std::optional<Outcome> examine(const problems::Case& given, const std::vector<runner::Returned>& returned,
                               const std::vector<problems::Expected>* expected = nullptr,
                               const std::function<bool()>& adds_atomically = {});

// SUSPECT: the values of `array` changed between two reads.
Outcome changed_while_compared(const problems::Case& given, const std::string& array);

}  // namespace ridge::grade
