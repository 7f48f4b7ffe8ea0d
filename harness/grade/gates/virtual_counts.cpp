#include "harness/grade/gates/virtual_counts.h"

#include <fmt/format.h>

#include "harness/grade/child_session.h"
#include "harness/grade/correctness.h"
#include "harness/grade/gates/counted.h"
#include "harness/grade/gates/slow_reason.h"
#include "harness/measure/counts.h"
#include "harness/problems/inputs.h"
#include "trace/environment.h"

namespace ridge::grade {

VirtualCounts count_on_virtual_gpu(const runner::Installation& installation, const build::Compiled& compiled,
                           const course::Rung& rung, uint64_t seed, const std::filesystem::path& scratch) {
  VirtualCounts counted;
  counted.why_not = runner::why_no_virtual_gpu(installation.virtual_libraries);
  if (!counted.why_not.empty()) return counted;
  try {
    runner::SessionOptions options = child_session(installation, Engine::virtual_gpu,
                                                   installation.virtual_libraries, scratch / "counting");
    options.readable = {compiled.object};
    options.environment = {{trace::kTimeLimitVariable, std::to_string(kLaunchLimitSeconds)}};
    add_virtual_devices(rung, options);
    runner::Session session(options);
    CaseChecker checker(session, options.report_file, kCallLimitSeconds);
    const problems::Problem& problem = problems::find_problem(rung.problem);
    if (auto failure = session.load(compiled.object, rung.entry, problem)) {
      counted.why_not = "the virtual GPU cannot load the file: " + failure->text;
      return counted;
    }
    const problems::Case given =
        problems::make_case(problem, rung.virtual_size, problems::Draw::uniform, seed);
    const auto outcome = counted.outcome = checker.check_profiled(given);
    if (outcome)
      counted.why_not =
          fmt::format("the virtual GPU's verdict is {}: {}", to_string(outcome->verdict), outcome->summary);
    else
      counted.launches = measure::profiled_launches(reports_so_far(options.report_file));
    counted.work = measure::work_of(given, options.report_file);
    if (!outcome && counted.launches.empty()) counted.why_not = "the virtual GPU saw no kernel";
  } catch (const std::exception& problem) {
    counted.why_not = problem.what();
  }
  return counted;
}

void add_virtual_counts(const VirtualCounts& counted, const course::Rung& rung, Result& result) {
  if (!result.detail.empty() && result.detail.back() != '\n') result.detail += '\n';
  if (counted.launches.empty()) {
    const bool sentence = !counted.why_not.empty() && counted.why_not.back() == '.';
    result.detail += fmt::format("Not counted line by line: {}{}\n", counted.why_not, sentence ? "" : ".");
    return;
  }
  const std::string size = problems::describe(problems::find_problem(rung.problem), rung.virtual_size);
  result.counted_size = size;
  result.counts = count_rows(counted.launches);
  result.gates = evaluate_gates(rung.gates, counted.launches, counted.work);
  result.far_from_ideal = counts_far_from_ideal(result.gates, counted.launches, result.source);
  const std::string words = explain_counts(result.gates, counted.launches, result.source);
  if (!words.empty())
    result.detail +=
        fmt::format("Far from ideal, counted on the virtual GPU at {} (modelled):\n{}", size, words);
  else if (result.verdict == Verdict::slow)
    result.detail += fmt::format(
        "Counted on the virtual GPU at {} (modelled), nothing is far from its ideal: look for what waits, "
        "too "
        "few warps or bytes under way, or work that is done twice.\n",
        size);
}

}  // namespace ridge::grade
