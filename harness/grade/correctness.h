// Runs cases in the child and holds what comes back against the reference.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "harness/grade/case_plan.h"
#include "harness/grade/findings/learner_source.h"
#include "harness/grade/findings/outcome.h"
#include "harness/runner/session.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// The launch reports that the virtual GPU has written so far; none where there is no such file, and a line
// that a killed child left unfinished is not read.
std::vector<trace::LaunchReport> reports_so_far(const std::filesystem::path& file);

// The returned buffers of one case: writes beyond a buffer, changed inputs, wrong answers, in that order.
// `expected` is the problem's reference for it, where that has been worked out already; `source` is the file,
// where it says more of a wrong answer.
std::optional<Outcome> examine(const problems::Case& given, const std::vector<runner::Returned>& returned,
                               const std::vector<problems::Expected>* expected = nullptr,
                               const LearnerSource* source = nullptr);

// SUSPECT: `array` held other values when it was looked at once more.
Outcome changed_while_compared(const problems::Case& given, const std::string& array);

class CaseChecker {
 public:
  CaseChecker(runner::Session& session, std::filesystem::path report_file, double limit_seconds,
              LearnerSource source = {})
      : session_(session),
        report_file_(std::move(report_file)),
        limit_seconds_(limit_seconds),
        source_(std::move(source)) {}

  // All of them, or up to what ends the child; a wrong answer does not end it, so the outcome names the
  // sizes that are right.
  std::optional<Outcome> check_all(const problems::Problem& problem, const std::vector<PlannedCase>& plan,
                                   const std::function<void(std::string_view)>& progress);
  // One, between cudaProfilerStart and Stop.
  std::optional<Outcome> check_profiled(const problems::Case& given);
  // What a failed command means: the virtual GPU's finding if there is one, else the failure itself.
  Outcome explain(const runner::Failure& failure, const std::string& during) const;
  // Where the buffers of the last case were on the device, in the problem's order; empty: not known.
  const std::vector<uint64_t>& addresses() const { return addresses_; }
  // A finding that did not fail the call.
  std::optional<Outcome> finding(const std::string& during) const;

 private:
  struct CaseResult {
    std::optional<Outcome> outcome;  // none where the answer is right
    bool goes_on = true;             // the child can run another case
  };
  CaseResult check(const problems::Case& given, bool profiled);
  // Of a problem that must give the same bits in every call: one call more, with the same inputs.
  std::optional<Outcome> check_repeated(const problems::Case& given,
                                        const std::vector<runner::Returned>& returned);
  size_t launches_of_endless_call(const runner::Failure& failure) const;

  runner::Session& session_;
  std::filesystem::path report_file_;
  double limit_seconds_;
  LearnerSource source_;
  std::vector<uint64_t> addresses_;
};

}  // namespace ridge::grade
