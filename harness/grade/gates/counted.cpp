#include "harness/grade/gates/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/grade/gates/slow_reason.h"
#include "harness/measure/counts.h"

namespace ridge::grade {

namespace {

const char* const kNeedsMachineCode =
    "skipped: the machine code is not known, because clang compiled; nvcc makes it (`ridge doctor`)";

std::string number(double value) {
  if (value >= 1e12) return "without limit";
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
                                       std::span<const trace::LaunchReport> launches,
                                       const measure::Work& work) {
  std::vector<GateResult> results;
  for (const course::Gate& gate : gates) {
    const measure::Count& count = measure::find_count(gate.count);
    if (count.of_machine_code && !measure::have_machine_code(launches)) {
      results.push_back({gate, 0, true, kNeedsMachineCode});
      continue;
    }
    double value = measure::value_of(count, launches, work);
    bool passes = (!gate.at_most || value <= *gate.at_most) && (!gate.at_least || value >= *gate.at_least);
    results.push_back({gate, value, passes});
  }
  return results;
}

std::vector<std::pair<std::string, double>> all_counts(std::span<const trace::LaunchReport> launches,
                                                       const measure::Work& work) {
  std::vector<std::pair<std::string, double>> values;
  for (const measure::Count& count : measure::counts())
    if (!count.of_machine_code || measure::have_machine_code(launches))
      values.emplace_back(count.name, measure::value_of(count, launches, work));
  return values;
}

std::vector<CountRow> count_rows(std::span<const trace::LaunchReport> launches) {
  std::vector<CountRow> rows;
  for (const measure::LineCounts& line : measure::counts_by_line(launches)) {
    // A line number without a file means the student's file; a header is named.
    const std::filesystem::path file(line.file);
    const bool header = !line.file.empty() && file.extension() != ".cu";
    rows.push_back({line.line, header ? line.what + " in " + file.filename().string() : line.what,
                    line.requests, line.sectors, line.ideal_sectors, line.wavefronts, line.ideal_wavefronts});
  }
  return rows;
}

Traffic traffic_of(std::span<const trace::LaunchReport> launches) {
  constexpr double kSectorBytes = 32;
  Traffic traffic;
  for (const trace::LaunchReport& launch : launches) {
    traffic.l1_bytes += trace::l1_path_bytes(launch);
    traffic.l2_bytes += kSectorBytes * static_cast<double>(launch.l2_read_sectors + launch.l2_write_sectors +
                                                           launch.l2_atomic_sectors);
    traffic.dram_bytes += static_cast<double>(launch.dram_read_bytes + launch.dram_write_bytes);
  }
  return traffic;
}

std::string explain_counts(const std::vector<GateResult>& gates,
                           std::span<const trace::LaunchReport> launches, std::string_view source) {
  std::string text;
  for (const GateResult& result : gates)
    if (!result.passed) text += explain_gate(result, launches, source);
  const std::vector<Remark> others = other_remarks(gates, launches, source);
  if (!others.empty() && !text.empty()) text += "also far from ideal:\n";
  for (const Remark& other : others)
    text += "  " + other.text + "\n";
  return text;
}

std::vector<std::string> counts_far_from_ideal(const std::vector<GateResult>& gates,
                                               std::span<const trace::LaunchReport> launches,
                                               std::string_view source) {
  std::vector<std::string> counts;
  for (const Remark& remark : other_remarks(gates, launches, source))
    if (!remark.count.empty() && std::find(counts.begin(), counts.end(), remark.count) == counts.end())
      counts.push_back(remark.count);
  return counts;
}

std::optional<Outcome> outcome_of_gates(const std::vector<GateResult>& gates,
                                        std::span<const trace::LaunchReport> launches,
                                        std::string_view source) {
  const auto first = std::find_if(gates.begin(), gates.end(), [](const auto& gate) { return !gate.passed; });
  if (first == gates.end()) return std::nullopt;
  Outcome outcome = outcome_with(
      {"slow.gate",
       {{"count", first->gate.count}, {"value", number(first->value)}, {"limit", limit_of(first->gate)}}},
      explain_counts(gates, launches, source));
  outcome.next = first->gate.why;
  return outcome;
}

std::string remarks_after_pass(const std::vector<GateResult>& gates,
                               std::span<const trace::LaunchReport> launches, std::string_view source) {
  std::string text;
  for (const Remark& remark : other_remarks(gates, launches, source))
    text += "  " + remark.text + "\n";
  return text.empty() ? "" : "Not asked for here, and far from ideal (modelled):\n" + text;
}

}  // namespace ridge::grade
