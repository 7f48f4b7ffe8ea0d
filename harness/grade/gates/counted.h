// Gates: the counts of the virtual GPU compared with the limits of a rung.
#pragma once

#include "harness/grade/findings/outcome.h"
#include "harness/grade/grade.h"
#include "harness/measure/work.h"

namespace ridge::grade {

std::vector<GateResult> evaluate_gates(const std::vector<course::Gate>& gates,
                                       std::span<const trace::LaunchReport> launches,
                                       const measure::Work& work = {});
// Every count by name, for choosing the limits of gates.
std::vector<std::pair<std::string, double>> all_counts(std::span<const trace::LaunchReport> launches,
                                                       const measure::Work& work);
std::vector<CountRow> count_rows(std::span<const trace::LaunchReport> launches);
// The bytes only; the caller adds operations, useful bytes and peak from the problem.
Traffic traffic_of(std::span<const trace::LaunchReport> launches);
// The outcome SLOW with the first failed gate: its value, limit and reason, the line of `source`
// that contributes most to each failed gate and its meaning, and other counts that are far from
// their ideal.
std::optional<Outcome> outcome_of_gates(const std::vector<GateResult>& gates,
                                        std::span<const trace::LaunchReport> launches,
                                        std::string_view source = {});
// The lines of that explanation: on every failed gate, and on other counts that are far from their
// ideal; "" when there are none.
std::string explain_counts(const std::vector<GateResult>& gates,
                           std::span<const trace::LaunchReport> launches, std::string_view source);
// The names of the counts that the further lines are about.
std::vector<std::string> counts_far_from_ideal(const std::vector<GateResult>& gates,
                                               std::span<const trace::LaunchReport> launches,
                                               std::string_view source);
// Counts that are far from their ideal without being gated; "" when there are none.
std::string remarks_after_pass(const std::vector<GateResult>& gates,
                               std::span<const trace::LaunchReport> launches, std::string_view source);

}  // namespace ridge::grade
