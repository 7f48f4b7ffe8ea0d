#include "visualizer/session/analysis/launch_change.h"

#include <fmt/format.h>

#include "text/numbers.h"
#include "visualizer/session/analysis/level_traffic.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {

std::array<CostSum, 2> recorded_costs(const LoadedTrace& trace) {
  std::array<CostSum, 2> both{};
  for (const LineCost& line : trace.lines())
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const CostSum& of_line = i == 0 ? line.global : line.shared;
      both[i].executions += of_line.executions;
      both[i].actual += of_line.actual, both[i].ideal += of_line.ideal;
    }
  return both;
}

LaunchChange change_of(const LoadedTrace& now, const LoadedTrace& before) {
  // Blocks of two versions often differ in size, so counts of the whole launches are compared if
  // both are available.
  const auto whole_now = cost_of_launch(now), whole_before = cost_of_launch(before);
  if (!whole_now || !whole_before) return {recorded_costs(now), recorded_costs(before), false};
  return {{whole_now->global, whole_now->shared}, {whole_before->global, whole_before->shared}, true};
}

std::string times_text(uint64_t now, uint64_t before) {
  const double times = static_cast<double>(now) / static_cast<double>(before);
  return times >= 2     ? fmt::format("{:.3g}x as many", times)
         : times <= 0.5 ? fmt::format("1/{:.3g} of them", 1 / times)
                        : fmt::format("{:+.1f}%", (times - 1) * 100);
}

std::string news_of(const LoadedTrace& now, const LoadedTrace& before) {
  const LaunchChange change = change_of(now, before);
  std::string words;
  for (size_t i = 0; i < change.now.size(); ++i) {
    const uint64_t a = change.now[i].actual, b = change.before[i].actual;
    if (a == b) continue;
    words += fmt::format("{}{} {}, {} before", words.empty() ? "" : "; ", text::with_thousands(a),
                         LaunchChange::kNames[i], text::with_thousands(b));
    if (a > 0 && b > 0) words += fmt::format(" ({})", times_text(a, b));
  }
  if (words.empty()) words = "as many sectors and wavefronts as before";
  return fmt::format("A new run: {}. C: both side by side, Tab: one after the other.", words);
}

}  // namespace ridge::view
