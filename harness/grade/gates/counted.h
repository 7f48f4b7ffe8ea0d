// Gates: what the virtual GPU counted, against the limits that a rung's idea sets.
#pragma once

#include "harness/grade/findings/outcome.h"
#include "harness/grade/grade.h"
#include "harness/measure/work.h"

namespace ridge::grade {

std::vector<GateResult> evaluate_gates(const std::vector<course::Gate>& gates,
                                       std::span<const trace::LaunchReport> launches,
                                       const measure::Work& work = {});
// Every count by name, for those who choose a gate's limits.
std::vector<std::pair<std::string, double>> all_counts(std::span<const trace::LaunchReport> launches,
                                                       const measure::Work& work);
std::vector<CountRow> count_rows(std::span<const trace::LaunchReport> launches);
// The bytes; operations, useful bytes and peak are the problem's.
Traffic traffic_of(std::span<const trace::LaunchReport> launches);
// SLOW with the first failed gate, its value, limit and reason, the line of `source` that does most to each,
// what it means, and what else is far from its ideal.
std::optional<Outcome> outcome_of_gates(const std::vector<GateResult>& gates,
                                        std::span<const trace::LaunchReport> launches,
                                        std::string_view source = {});
// The lines of that: on every gate that failed, and on what else is far from its ideal; "" for nothing.
std::string explain_counts(const std::vector<GateResult>& gates,
                           std::span<const trace::LaunchReport> launches, std::string_view source);
// The counts that the further lines are about, by name.
std::vector<std::string> counts_far_from_ideal(const std::vector<GateResult>& gates,
                                               std::span<const trace::LaunchReport> launches,
                                               std::string_view source);
// What is far from its ideal though no gate asks for it; "" for nothing.
std::string remarks_after_pass(const std::vector<GateResult>& gates,
                               std::span<const trace::LaunchReport> launches, std::string_view source);

}  // namespace ridge::grade
