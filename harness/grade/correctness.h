// Runs cases in the child and compares the results with the reference.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/grade/case_plan.h"
#include "harness/grade/findings/learner_source.h"
#include "harness/grade/findings/outcome.h"
#include "harness/runner/session.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// The launch reports that the virtual GPU has written so far; empty when the file does not exist.
// An incomplete line of a killed child is ignored.
std::vector<trace::LaunchReport> reports_so_far(const std::filesystem::path& file);

class CaseChecker {
 public:
  CaseChecker(runner::Session& session, std::filesystem::path report_file, double limit_seconds,
              LearnerSource source = {}, std::filesystem::path object = {})
      : session_(session),
        report_file_(std::move(report_file)),
        limit_seconds_(limit_seconds),
        source_(std::move(source)),
        object_(std::move(object)) {}

  // Runs all cases, or those up to the end of the child. A wrong answer does not end the child, so
  // the outcome names the sizes that are right.
  std::optional<Outcome> check_all(const problems::Problem& problem, const std::vector<PlannedCase>& plan,
                                   const std::function<void(std::string_view)>& progress);
  // Runs one case between cudaProfilerStart and Stop.
  std::optional<Outcome> check_profiled(const problems::Case& given);
  // Explains a failed command: by the virtual GPU's finding if there is one, otherwise by the
  // failure itself.
  Outcome explain(const runner::Failure& failure, const std::string& during) const;
  // The launches that the virtual GPU has reported so far. Reads what was appended since the last
  // look: a report stays as it was written. Throws std::runtime_error on damage.
  const std::vector<trace::LaunchReport>& reports() const;
  // The device addresses of the last case's buffers, in the problem's order; empty: unknown.
  const std::vector<uint64_t>& addresses() const { return addresses_; }
  // A finding that did not make the call fail.
  std::optional<Outcome> finding(const std::string& during) const;

 private:
  struct CaseResult {
    std::optional<Outcome> outcome;  // none: the answer is right
    bool goes_on = true;             // the child can run another case
  };
  CaseResult check(const problems::Case& given, bool profiled);
  // For a call of the same sizes as the one before it: it needs no more memory than there is.
  std::optional<Outcome> memory_left(const problems::Case& given) const;
  // For a problem that must give the same bits in every call: calls once more with the same inputs.
  std::optional<Outcome> check_repeated(const problems::Case& given,
                                        const std::vector<runner::Returned>& returned);
  size_t launches_of_endless_call(const runner::Failure& failure) const;

  runner::Session& session_;
  std::filesystem::path report_file_;
  double limit_seconds_;
  LearnerSource source_;
  std::filesystem::path object_;                      // the compiled file; empty: unknown
  mutable size_t looked_at_ = 0;                      // bytes of the report, in whole lines
  mutable std::vector<trace::LaunchReport> reports_;  // in these bytes
  std::vector<uint64_t> addresses_;
  std::array<uint64_t, 2> left_allocated_ = {};  // by the latest case: blocks and bytes
  bool on_ranks_ = false;  // the problem of the latest case is on several devices
};

}  // namespace ridge::grade
