#include "harness/grade/counted.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/measure/counts.h"

namespace ridge::grade {

namespace {

std::string number(double value) {
  return value == static_cast<double>(static_cast<int64_t>(value))
             ? fmt::format("{}", static_cast<int64_t>(value))
             : fmt::format("{:.4g}", value);
}

std::string limit_of(const course::Gate& gate) {
  if (gate.at_most && gate.at_least)
    return fmt::format("from {} to {} is wanted", number(*gate.at_least), number(*gate.at_most));
  if (gate.at_most) return fmt::format("at most {} is wanted", number(*gate.at_most));
  return gate.at_least ? fmt::format("at least {} is wanted", number(*gate.at_least)) : "";
}

}  // namespace

std::vector<GateResult> evaluate_gates(const std::vector<course::Gate>& gates,
                                       std::span<const trace::LaunchReport> launches) {
  std::vector<GateResult> results;
  for (const course::Gate& gate : gates) {
    double value = measure::find_count(gate.count).value(launches);
    bool passes = (!gate.at_most || value <= *gate.at_most) && (!gate.at_least || value >= *gate.at_least);
    results.push_back({gate, value, passes});
  }
  return results;
}

std::vector<CountRow> count_rows(std::span<const trace::LaunchReport> launches) {
  std::vector<CountRow> rows;
  for (const measure::LineCounts& line : measure::counts_by_line(launches))
    rows.push_back({line.line, line.what, line.requests, line.sectors, line.ideal_sectors, line.wavefronts,
                    line.ideal_wavefronts});
  return rows;
}

std::optional<Fault> fault_of_gates(const std::vector<GateResult>& gates,
                                    std::span<const trace::LaunchReport> launches) {
  const GateResult* first = nullptr;
  std::string detail;
  for (const GateResult& result : gates) {
    if (result.passed) continue;
    if (!first) first = &result;
    const measure::Count& count = measure::find_count(result.gate.count);
    detail += fmt::format("{}: {}\n", count.name, count.description);
    // Of a count that is too small the line that does most to it is not the one to mend.
    bool too_large = result.gate.at_most && result.value > *result.gate.at_most;
    const trace::InstructionCounts* worst = too_large ? measure::worst_instruction(count, launches) : nullptr;
    if (!worst) continue;
    std::string file = std::filesystem::path(worst->file).filename().string();
    detail += fmt::format("  most of it: {} line {}, a {} {}: {} warp accesses", file.empty() ? "" : file,
                          worst->line, worst->space, worst->kind, worst->requests);
    detail += worst->space == "shared"
                  ? fmt::format(", {} passes over the banks where {} would do\n", worst->wavefronts,
                                worst->ideal_wavefronts)
                  : fmt::format(", {} sectors where {} would do\n", worst->sectors, worst->ideal_sectors);
  }
  if (!first) return std::nullopt;
  return Fault{Verdict::slow,
               fmt::format("The answers are right, but {} is {}, and {}.", first->gate.count,
                           number(first->value), limit_of(first->gate)),
               first->gate.why, detail};
}

}  // namespace ridge::grade
