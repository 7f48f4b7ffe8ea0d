// The outcome of a grading: its verdict, and the sentences that a learner reads.
#pragma once

#include <optional>
#include <string>

#include "harness/grade/findings/error_map.h"
#include "harness/grade/findings/finding.h"
#include "harness/grade/verdict.h"
#include "harness/runner/session.h"
#include "trace/launch_report.h"

namespace ridge::grade {

struct Outcome {
  Verdict verdict = Verdict::wrong;
  std::string summary, next, detail;
  std::string finding = {};  // the identifier in finding_texts.cpp
  std::optional<ErrorMap> error_map = {};
  bool all_wrong = false;  // not one element of the output is right
  bool is_vague = false;   // the next step fits any wrong answer
};

// The finding's verdict and sentences. `during`: where it happened ("for n = 33"), appended to the sentence,
// or "".
Outcome outcome_with(const Finding& finding, std::string detail = "", const std::string& during = "");

// What it means that a file could not be loaded: its constructors and initialisers run then.
Outcome outcome_of_load(const runner::Failure& failure, double limit_seconds);
// What a failed command of the runner means.
Outcome outcome_of(const runner::Failure& failure, const std::string& during, double limit_seconds);

}  // namespace ridge::grade
