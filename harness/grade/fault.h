// Why a file does not pass, in words for a beginner.
#pragma once

#include <optional>
#include <string>

#include "harness/grade/verdict.h"
#include "harness/runner/session.h"
#include "trace/launch_report.h"

namespace ridge::grade {

struct Fault {
  Verdict verdict = Verdict::wrong;
  std::string summary, next, detail;
  bool all_wrong = false;  // not one element of the output is right
  bool is_vague = false;   // the next step is one that fits any wrong answer
};

// `during`: "for n = 33", or "".
Fault fault_of(const trace::Finding& finding, const std::string& during);
Fault fault_of(const runner::Failure& failure, const std::string& during, double limit_seconds);

}  // namespace ridge::grade
