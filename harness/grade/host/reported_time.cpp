#include "harness/grade/host/reported_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::grade {

namespace {

constexpr double kTolerance = 0.05;
// Shorter kernels: the events themselves and the gaps between launches would be 5%.
constexpr double kShortestMs = 0.5, kFewestSteps = 1 << 20;
// A launch call takes microseconds.
constexpr double kMostOfLaunch = 0.5;

bool is_near(double value, double low, double high) {
  return value >= (1 - kTolerance) * low && value <= (1 + kTolerance) * high;
}

// The mistake that explains a wrong time, or "".
std::string_view cause_of(double reported, double low, double high, double all, double timed) {
  if (is_near(reported, all, all) || is_near(reported, timed, timed)) return "wrong.time_of_all";
  for (const double factor : {1e-3, 1e3, 1e6})
    if (is_near(reported, factor * low, factor * high)) return "wrong.time_unit";
  return reported < kMostOfLaunch * low ? "wrong.time_of_launch" : "wrong.time";
}

// What the function's own events say of one launch. On a busy machine launches differ so much that
// a wrong quotient lies among them; but it is not that of the function's own times and launches.
bool is_near_own_events(double reported, const std::vector<std::pair<double, int>>& spans) {
  if (spans.empty()) return true;  // another clock
  double low = INFINITY, high = 0;
  for (const auto& [ms, launches] : spans) {
    low = std::min(low, ms / launches);
    high = std::max(high, ms / launches);
  }
  return is_near(reported, low, high);
}

}  // namespace

std::optional<Outcome> examine_time(const runner::HostCalls& calls, double reported_ms,
                                    double steps, const std::string& where) {
  const std::vector<double>& ms = calls.launch_ms;
  if (ms.empty() || steps < kFewestSteps) return std::nullopt;
  if (ms.size() == 1 || !calls.warmed_up)
    return outcome_with({"wrong.no_warm_up", {{"where", where}}});
  const auto [low, high] = std::minmax_element(ms.begin() + 1, ms.end());
  if (*low < kShortestMs) return std::nullopt;
  if (is_near(reported_ms, *low, *high) && is_near_own_events(reported_ms, calls.spans)) return std::nullopt;
  const double all = std::accumulate(ms.begin(), ms.end(), 0.0);
  std::vector<double> sorted(ms.begin() + 1, ms.end());
  std::sort(sorted.begin(), sorted.end());
  return outcome_with({cause_of(reported_ms, *low, *high, all, all - ms.front()),
                       {{"reported", fmt::format("{:.4g}", reported_ms)},
                        {"measured", fmt::format("{:.4g}", sorted[sorted.size() / 2])},
                        {"launches", ms.size()},
                        {"where", where}}});
}

}  // namespace ridge::grade
