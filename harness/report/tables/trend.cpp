#include "harness/report/tables/trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::report {

namespace {

using grade::Verdict;

std::string mark_of(Verdict verdict, const Style& style) {
  switch (verdict) {
    case Verdict::pass:
      return style.paint(Colour::green, "✓");
    case Verdict::gold:
      return style.paint(Colour::green, "★");
    case Verdict::slow:
      return style.paint(Colour::yellow, "~");
    case Verdict::suspect:
    case Verdict::skipped:
      return style.paint(Colour::yellow, "?");
    case Verdict::not_started:
      return style.paint(Colour::cyan, "·");
    default:
      return style.paint(Colour::red, "✗");
  }
}

const PastGate* gate_named(const PastRun& run, const std::string& count) {
  for (const PastGate& gate : run.gates)
    if (gate.count == count) return &gate;
  return nullptr;
}

const char* bar(double part) {
  constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto step = static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * 7));
  return kBars[step];
}

std::string percents(std::span<const PastRun> runs, const std::string& device) {
  double most = 0;
  std::vector<double> values;
  for (const PastRun& run : runs)
    if (run.percent && is_right(run) && run.device == device) values.push_back(*run.percent);
  if (values.empty()) return "";
  for (const double value : values)
    most = std::max(most, value);
  std::string bars;
  for (const double value : values)
    bars += bar(value / most);
  const std::string from = values.size() > 1 ? fmt::format("{:.1f} → ", values.front()) : "";
  return fmt::format("  {}  {}{:.1f}%", bars, from, values.back());
}

// For the gate that was missed by most in any of the runs.
std::string nearnesses(std::span<const PastRun> runs) {
  std::string count;
  double least = 1;
  for (const PastRun& run : runs)
    for (const PastGate& gate : run.gates)
      if (is_right(run) && nearness(gate) < least) {
        least = nearness(gate);
        count = gate.count;
      }
  if (count.empty()) return "";
  std::string bars;
  std::vector<double> values;
  for (const PastRun& run : runs) {
    const PastGate* gate = is_right(run) ? gate_named(run, count) : nullptr;
    if (!gate) continue;
    bars += bar(nearness(*gate));
    values.push_back(gate->value);
  }
  const std::string from = values.size() > 1 ? fmt::format("{:.4g} → ", values.front()) : "";
  return fmt::format("  {}  {} {}{:.4g}", bars, count, from, values.back());
}

}  // namespace

std::string trend_line(std::span<const PastRun> runs, const Style& style) {
  if (runs.size() > kTrendRuns) runs = runs.last(kTrendRuns);
  if (runs.empty()) return "";
  std::string text =
      style.paint(Colour::dim, runs.size() == 1 ? "last run " : fmt::format("last {} runs ", runs.size()));
  for (const PastRun& run : runs)
    text += " " + mark_of(run.verdict, style);
  // The device of the latest measured run; runs on other devices are not comparable.
  std::string device;
  for (const PastRun& run : runs)
    if (run.percent) device = run.device;
  return text + (device.empty() ? nearnesses(runs) : percents(runs, device));
}

}  // namespace ridge::report
