// The outcome of a grading: its verdict, and the sentences for the student.
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
  std::string finding = {};  // an identifier of finding_texts.cpp
  std::optional<ErrorMap> error_map = {};
  bool all_wrong = false;  // no element of the output is right
  bool is_vague = false;   // the advice would fit any wrong answer
  // The answer is that of a known mistake of the problem, in so many elements that chance does not explain it.
  bool names_mistake = false;
};

// The finding's verdict and sentences. `during` is the context ("for n = 33") that is appended to
// the sentence, or "".
Outcome outcome_with(const Finding& finding, std::string detail = "", const std::string& during = "");

// The outcome when a file could not be loaded: loading runs its constructors and initialisers.
Outcome outcome_of_load(const runner::Failure& failure, double limit_seconds);
// The outcome for a failed command of the runner.
Outcome outcome_of(const runner::Failure& failure, const std::string& during, double limit_seconds);

}  // namespace ridge::grade
