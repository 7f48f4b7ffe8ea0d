#include "harness/cli/course_checks/mutants/equivalence.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "harness/cli/course_checks/mutants/further_sizes.h"
#include "harness/cli/rung_work.h"
#include "harness/grade/child_session.h"
#include "harness/grade/correctness.h"
#include "harness/grade/scratch_folder.h"
#include "harness/problems/inputs.h"
#include "trace/environment.h"

namespace ridge::cli {

namespace {

constexpr int kLaunchLimitSeconds = 60;
constexpr double kCallLimitSeconds = 90;
constexpr double kRoomAtCountedSize = 1.1, kRoomElsewhere = 1.5;
constexpr double kRoomForInstructions = 2000;  // of all warps: loop ends at small sizes
constexpr double kRoomForBytes = 32768, kRoomForThreads = 1024;

std::vector<Amounts> amounts_in(const std::filesystem::path& report, size_t sizes) {
  std::vector<Amounts> amounts(sizes);
  for (const trace::LaunchReport& launch : grade::reports_so_far(report)) {
    if (launch.range == 0 || launch.range > sizes) continue;
    Amounts& of_size = amounts[launch.range - 1];
    of_size.instructions += static_cast<double>(launch.warp_instructions);
    of_size.threads += static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2] * launch.block[0] *
                       launch.block[1] * launch.block[2];
    for (const trace::InstructionCounts& instruction : launch.instructions)
      if (instruction.space == "global") of_size.bytes += static_cast<double>(instruction.bytes);
  }
  return amounts;
}

std::string more_work(const Amounts& mutant, const Amounts& solution, bool is_counted_size) {
  const double factor = is_counted_size ? kRoomAtCountedSize : kRoomElsewhere;
  const auto is_more = [&](double of_mutant, double of_solution, double room) {
    return of_mutant > factor * of_solution + room;
  };
  if (is_more(mutant.instructions, solution.instructions, kRoomForInstructions))
    return fmt::format("{:.0f} instead of {:.0f} instructions", mutant.instructions, solution.instructions);
  if (is_more(mutant.bytes, solution.bytes, kRoomForBytes))
    return fmt::format("{:.0f} instead of {:.0f} bytes", mutant.bytes, solution.bytes);
  if (is_more(mutant.threads, solution.threads, kRoomForThreads))
    return fmt::format("{:.0f} instead of {:.0f} threads", mutant.threads, solution.threads);
  return "";
}

}  // namespace

Behaviour behaviour_of(const course::Rung& rung, const build::Compiled& compiled,
                       std::string_view solution, uint64_t seed) {
  const problems::Problem& problem = problems::find_problem(rung.problem);
  const auto sizes = further_sizes(rung, problem, solution, seed);
  const runner::Installation installation = runner::find_installation();
  const grade::EngineChoice choice = grade::choose_engine(grade::Engine::virtual_gpu, installation);
  const grade::ScratchFolder scratch(cache_folder(rung));
  runner::SessionOptions options =
      grade::child_session(installation, choice.engine, choice.libraries, scratch.path());
  options.readable.push_back(compiled.object);
  // Only endless work takes so long: a slow machine is not a difference between the two.
  options.environment = {{trace::kTimeLimitVariable, std::to_string(kLaunchLimitSeconds)}};
  grade::add_virtual_devices(rung, options);
  options.call_limit_seconds = kCallLimitSeconds;
  runner::Session session(options);
  grade::CaseChecker checker(session, options.report_file, kCallLimitSeconds);
  Behaviour behaviour;
  if (const auto failure = session.load(compiled.object, rung.entry, problem)) {
    behaviour.finding = failure->text;
    return behaviour;
  }
  for (const problems::Sizes& one : sizes) {
    const auto given = problems::make_case(problem, one, problems::Draw::uniform, problems::mix(seed++));
    if (const auto outcome = checker.check_profiled(given)) {
      behaviour.finding = outcome->summary;
      return behaviour;
    }
  }
  behaviour.amounts = amounts_in(options.report_file, sizes.size());
  return behaviour;
}

Equivalence compare_with_solution(const course::Rung& rung, const Behaviour& of_solution,
                                  const build::Compiled& mutant, std::string_view solution,
                                  uint64_t seed) {
  if (!of_solution.finding.empty()) return {false, "the solution itself: " + of_solution.finding};
  const problems::Problem& problem = problems::find_problem(rung.problem);
  const auto sizes = further_sizes(rung, problem, solution, seed);
  const Behaviour of_mutant = behaviour_of(rung, mutant, solution, seed);
  if (!of_mutant.finding.empty()) return {false, of_mutant.finding};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string more = more_work(of_mutant.amounts[i], of_solution.amounts[i], i == 0);
    if (!more.empty()) return {false, fmt::format("{}: {}", problems::describe(problem, sizes[i]), more)};
  }
  return {true, ""};
}

}  // namespace ridge::cli
