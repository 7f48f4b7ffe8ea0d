#include "harness/grade/gates/other_order.h"

#include "harness/grade/child_session.h"
#include "harness/grade/correctness.h"
#include "trace/environment.h"

namespace ridge::grade {

namespace {

constexpr uint64_t kMostSeeds = uint64_t{1} << 31;

const char* const kOtherOrder =
    " In this call the blocks ran in another order than they are numbered, and one block saw what "
    "another had published only half: CUDA promises no order.";

}  // namespace

std::optional<Outcome> check_other_order(const OtherOrder& work) {
  const problems::Problem& problem = problems::find_problem(work.rung.problem);
  runner::SessionOptions options =
      child_session(work.installation, Engine::virtual_gpu, work.libraries, work.scratch / "order");
  options.readable.push_back(work.compiled.object);
  options.environment = {{trace::kTimeLimitVariable, std::to_string(kLaunchLimitSeconds)},
                         {trace::kBlockOrderVariable, std::to_string(1 + work.seed % kMostSeeds)}};
  add_virtual_devices(work.rung, options);
  runner::Session session(options);
  CaseChecker checker(session, options.report_file, kCallLimitSeconds, work.source,
                      work.compiled.object);
  std::optional<Outcome> outcome;
  if (const auto failure = session.load(work.compiled.object, work.rung.entry, problem))
    outcome = outcome_of_load(*failure, kCallLimitSeconds);
  else
    outcome = checker.check_all(
        problem, {{work.rung.other_order, problems::Draw::uniform, work.seed, false, false}}, {});
  if (outcome) outcome->summary += kOtherOrder;
  return outcome;
}

}  // namespace ridge::grade
