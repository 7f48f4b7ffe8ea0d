#include "harness/grade/gates/counted_call.h"

#include <algorithm>
#include <set>

#include "harness/problems/inputs.h"

namespace ridge::grade {

namespace {

constexpr int64_t kMostSteps = 2;

// The virtual GPU numbers the launches of a process from 1 and reports their number at
// cudaProfilerStop.
std::optional<Outcome> damage_of(const std::vector<trace::LaunchReport>& reports,
                               const std::vector<trace::RangeSummary>& summaries, uint32_t range,
                               size_t in_range) {
  const auto is_of_range = [&](const trace::RangeSummary& summary) { return summary.range == range; };
  const auto found = std::count_if(summaries.begin(), summaries.end(), is_of_range);
  if (found != 1)
    return outcome_with({"suspect.report_summaries", {{"found", found}}});
  const trace::RangeSummary& summary = *std::find_if(summaries.begin(), summaries.end(), is_of_range);
  if (summary.launches != in_range)
    return outcome_with({"suspect.report_incomplete",
                         {{"what", "The counted call"}, {"made", summary.launches}, {"found", in_range}}});
  std::set<uint64_t> numbers;
  for (const trace::LaunchReport& report : reports)
    if (!numbers.insert(report.number).second)
      return outcome_with({"suspect.report_doubled", {{"number", report.number}}});
  if (numbers.size() != summary.last_number || (!numbers.empty() && *numbers.rbegin() != summary.last_number))
    return outcome_with({"suspect.report_incomplete",
                         {{"what", "The process"}, {"made", summary.last_number}, {"found", numbers.size()}}});
  return std::nullopt;
}

}  // namespace

CountedCall counted_call(const std::filesystem::path& report,
                         const std::vector<trace::LaunchReport>& reports, uint32_t range,
                         const problems::Case& given) {
  CountedCall call;
  call.work = measure::work_of(given, report);
  for (const trace::LaunchReport& one : reports)
    if (one.range == range) call.launches.push_back(one);
  call.damage =
      damage_of(reports, trace::read_range_summaries(report), range, call.launches.size());
  return call;
}

problems::Sizes hidden_virtual_size(const course::Rung& rung, uint64_t seed) {
  if (rung.virtual_step.empty()) return {};
  problems::Random random(seed);
  problems::Sizes sizes = rung.virtual_size;
  bool can_move = false;
  for (size_t i = 0; i < sizes.size(); ++i)
    can_move |= rung.virtual_step[i] > 0 && rung.virtual_step[i] < sizes[i];
  if (!can_move) return {};
  while (sizes == rung.virtual_size)
    for (size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::max(rung.virtual_step[i],
                          rung.virtual_size[i] - rung.virtual_step[i] * (random.from_one_to(kMostSteps + 1) - 1));
  return sizes;
}

}  // namespace ridge::grade
