#include "harness/grade/gates/counted_grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/grade/gates/counted.h"
#include "harness/grade/gates/counted_call.h"
#include "harness/grade/gates/implied_gates.h"
#include "harness/grade/gates/register_pool.h"
#include "harness/grade/integrity/scan.h"
#include "harness/measure/counts.h"
#include "harness/measure/link_counts.h"

namespace ridge::grade {

namespace {

void keep_counts(const CountedGrade& work, const CountedCall& call, double useful_bytes,
                 Result& result) {
  if (call.launches.empty()) return;
  result.device = call.launches.front().device;
  result.counts = count_rows(call.launches);
  result.all_counts = all_counts(call.launches, call.work);
  result.traffic = traffic_of(call.launches);
  result.traffic->operations = call.work.operations;
  result.traffic->useful_bytes = useful_bytes;
  if (work.problem.on_ranks) {
    LinkUse use{measure::links_of(call.launches, call.work), static_cast<uint64_t>(call.work.link_bytes),
                std::string(work.problem.link_formula)};
    if (!use.links.empty()) result.links = std::move(use);
  }
  const auto buffers = work.problem.buffers(work.request.rung->virtual_size);
  if (!buffers.empty())
    result.traffic->peak_tflops =
        measure::sheet_tflops(warp_model::find_device(result.device), buffers.front().type);
}

// What is wrong with a counted call, gates aside.
std::optional<Outcome> fault_of_call(const CountedGrade& work, const CountedCall& call,
                                     double useful_bytes) {
  if (call.damage) return call.damage;
  if (auto suspicion =
          scan_launches(call.launches, work.compiled, useful_bytes, call.work.operations,
                        work.request.rung->baseline == "device_copy" && !work.problem.overlaps,
                        work.problem.in_host_memory()))
    return suspicion;
  if (auto never_ends = check_register_pool(call.launches)) return never_ends;
  // Copies are a part of the work where the arrays are in host memory; gates count them.
  if (work.problem.in_host_memory()) return std::nullopt;
  return scan_copies(call.work);
}

// Those that are counted at `at_size`; empty: at the public and the hidden size.
std::vector<course::Gate> gates_at(const course::Rung& rung, const problems::Sizes& at_size) {
  std::vector<course::Gate> gates;
  for (const course::Gate& gate : rung.gates)
    if (gate.at_size == at_size) gates.push_back(gate);
  return gates;
}

// The sizes that gates name, each once.
std::set<problems::Sizes> sizes_of_gates(const course::Rung& rung) {
  std::set<problems::Sizes> sizes;
  for (const course::Gate& gate : rung.gates)
    if (!gate.at_size.empty()) sizes.insert(gate.at_size);
  return sizes;
}

// The `range`-th profiled call; the first is that of the public size, and `remarks` are about it.
std::optional<Outcome> count_call(const CountedGrade& work, CaseChecker& checker, uint32_t range,
                                  const problems::Sizes& sizes,
                                  const std::vector<course::Gate>& limits, uint64_t seed,
                                  Result& result, std::string& remarks) {
  const bool first = range == 1;
  const std::string size = problems::describe(work.problem, sizes);
  work.progress("counting " + size);
  const problems::Case given =
      problems::make_case(work.problem, sizes, problems::Draw::uniform, seed);
  const double useful_bytes = problems::bytes_moved(given);
  auto fault = checker.check_profiled(given);
  ++result.cases;
  const CountedCall call = counted_call(work.report, checker.reports(), range, given);
  if (first) keep_counts(work, call, useful_bytes, result);
  if (fault) {
    if (fault->verdict == Verdict::wrong && !work.request.trace_file) {
      fault->detail =
          fmt::format("The {} sizes before it are right.\n", result.cases - 1) + fault->detail;
      if (fault->is_vague) fault->next = Finding{"wrong.counted_size", {{"size", size}}}.next();
    }
    return fault;
  }
  if (auto fault_of_counts = fault_of_call(work, call, useful_bytes)) return fault_of_counts;
  const bool named = !limits.empty() && !limits.front().at_size.empty();
  std::vector<GateResult> gates = evaluate_gates(limits, call.launches, call.work);
  auto slow = outcome_of_gates(gates, call.launches, result.source);
  if (!slow && !named) {
    std::vector<GateResult> implied =
        evaluate_gates(implied_gates(*work.request.rung, work.problem, first), call.launches, call.work);
    slow = outcome_of_gates(implied, call.launches, result.source);
    if (slow) gates.insert(gates.end(), implied.begin(), implied.end());
  }
  if (slow) {
    if (named)
      slow->summary =
          Finding{"slow.at_other_size", {{"gate", slow->summary}, {"size", size}}}.sentence();
    else if (!first)
      slow->summary =
          Finding{"slow.at_hidden_size", {{"gate", slow->summary}, {"size", size}}}.sentence();
    result.far_from_ideal = counts_far_from_ideal(gates, call.launches, result.source);
  }
  if (first || slow) result.gates = std::move(gates);
  if (first) remarks = remarks_after_pass(result.gates, call.launches, result.source);
  return slow;
}

// None to three calls that are not counted.
std::optional<Outcome> check_between(const CountedGrade& work, CaseChecker& checker,
                                     problems::Random& random, Result& result) {
  const std::vector<PlannedCase> plan = cases_between(work.problem, random);
  if (work.request.trace_file || work.request.counts_only) return std::nullopt;
  if (auto fault = checker.check_all(work.problem, plan, work.request.progress)) return fault;
  result.cases += static_cast<int>(plan.size());
  return std::nullopt;
}

Outcome pass_outcome(const Result& result, const std::string& remarks) {
  const auto count = std::count_if(result.gates.begin(), result.gates.end(),
                                   [](const GateResult& gate) { return gate.skipped.empty(); });
  const std::string gates = count == 0 ? ""
                            : count == 1
                                ? ", and its count is within its limit"
                                : fmt::format(", and its {} counts are within their limits", count);
  return outcome_with(
      {"pass.counted",
       {{"cases", result.cases}, {"s", result.cases == 1 ? "" : "s"}, {"gates", gates}}},
      remarks);
}

}  // namespace

Outcome grade_by_counts(const CountedGrade& work, CaseChecker& checker, Result& result) {
  const course::Rung& rung = *work.request.rung;
  problems::Random random(~result.seed);
  std::string remarks;
  if (auto fault = check_between(work, checker, random, result)) return *fault;
  const std::vector<course::Gate> gates = gates_at(rung, {});
  uint32_t range = 1;
  if (auto fault = count_call(work, checker, range, rung.virtual_size, gates, random.next(), result, remarks))
    return *fault;
  if (auto fault = check_between(work, checker, random, result)) return *fault;
  const problems::Sizes hidden = hidden_virtual_size(rung, random.next());
  if (!hidden.empty() && !work.request.trace_file)
    if (auto fault = count_call(work, checker, ++range, hidden, gates, random.next(), result, remarks))
      return *fault;
  for (const problems::Sizes& sizes : sizes_of_gates(rung)) {
    if (work.request.trace_file) break;
    if (auto fault = count_call(work, checker, ++range, sizes, gates_at(rung, sizes), random.next(), result, remarks))
      return *fault;
  }
  if (auto fault = check_between(work, checker, random, result)) return *fault;
  return pass_outcome(result, remarks);
}

}  // namespace ridge::grade
