#include "harness/report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/course/lessons.h"

namespace ridge::report {

namespace {

using grade::Verdict;

constexpr double kWorthSaying = 1.1;  // a change by less is the size's ragged edge, or the clock's

struct Quantity {
  double PastRun::*value;
  const char* what;  // "the loads touch {} sectors"
};
constexpr Quantity kQuantities[] = {
    {&PastRun::load_sectors, "sectors that loads touch"},
    {&PastRun::store_sectors, "sectors that stores touch"},
    {&PastRun::shared_passes, "passes over the banks of shared memory"},
    {&PastRun::requests, "accesses to global memory that warps make"},
};

std::string thousands(double number) {
  std::string text = fmt::format("{:.0f}", number);
  for (size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

// "8 times fewer", "1.5 times fewer"
std::string times(double from, double to) {
  const double factor = from / to;
  return factor >= 9.95 || std::fabs(factor - std::round(factor)) < 0.05
             ? fmt::format("{:.0f} times fewer", factor)
             : fmt::format("{:.1f} times fewer", factor);
}

bool comparable(const PastRun& a, const PastRun& b) {
  return a.size == b.size && a.device == b.device;
}

bool is_right(const PastRun& run) {
  return run.verdict == Verdict::slow || grade::passed(run.verdict);
}

// What fell most between two versions, in words; "" for nothing worth saying.
std::string what_fell(const PastRun& from, const PastRun& to) {
  const Quantity* most = nullptr;
  double factor = kWorthSaying;
  for (const Quantity& quantity : kQuantities) {
    const double before = from.*quantity.value, now = to.*quantity.value;
    if (before <= 0 || now <= 0 || before / now < factor) continue;
    factor = before / now;
    most = &quantity;
  }
  if (!most) return "";
  return fmt::format("{} fell from {} to {}, {} (modelled)", most->what, thousands(from.*most->value),
                     thousands(to.*most->value), times(from.*most->value, to.*most->value));
}

std::string against(const PastRun& from, const PastRun& to, const std::string& whose) {
  if (from.percent && to.percent && from.time_ms && to.time_ms && *to.time_ms > 0) {
    if (*from.time_ms / *to.time_ms < 1.01) return "";
    return fmt::format("Won: {:.1f}% after {:.1f}% {}, {:.2f} times as fast (measured).\n", *to.percent,
                       *from.percent, whose, *from.time_ms / *to.time_ms);
  }
  const std::string fell = what_fell(from, to);
  return fell.empty() ? "" : fmt::format("Won: against {}, {}.\n", whose, fell);
}

// The slowest right version of those that can be compared: from there the learner came.
const PastRun* start_of(std::span<const PastRun> earlier, const PastRun& now) {
  const PastRun* start = nullptr;
  for (const PastRun& run : earlier) {
    if (!is_right(run) || !comparable(run, now) || run.percent.has_value() != now.percent.has_value())
      continue;
    const bool slower = start && run.percent && *run.percent < *start->percent;
    if (!start || slower) start = &run;
  }
  return start;
}

const PastRun* best_of(std::span<const PastRun> runs, const PastRun& now) {
  const PastRun* best = nullptr;
  for (const PastRun& run : runs) {
    if (!grade::passed(run.verdict) || !comparable(run, now) ||
        run.percent.has_value() != now.percent.has_value())
      continue;
    if (!best || !run.percent || *run.percent >= *best->percent) best = &run;
  }
  return best;
}

bool comes_later(const course::Course& course, const course::Rung& rung, const course::Rung& other) {
  for (const course::Rung* next = course::rung_after(course, rung); next;
       next = course::rung_after(course, *next))
    if (next->path() == other.path()) return true;
  return false;
}

std::string lessons(const course::Course& course, const course::Rung& rung, const grade::Result& result) {
  std::string text;
  for (const grade::GateResult& gate : result.gates) {
    if (gate.passed) continue;
    const course::Rung* lesson = course::lesson_on(course, gate.gate.count);
    if (!lesson) continue;
    const std::string line =
        lesson->path() == rung.path() || comes_later(course, rung, *lesson)
            ? fmt::format("{} is what this rung is about: `ridge hint {}` helps on.\n", gate.gate.count,
                          rung.path())
            : fmt::format("{} is what {} is about ({}).\n", gate.gate.count, lesson->path(), lesson->title);
    if (text.find(line) == std::string::npos) text += line;
  }
  return text;
}

}  // namespace

std::string show_progress(const course::Course& course, const course::Rung& rung, const grade::Result& result,
                          std::span<const PastRun> earlier, std::span<const PastRun> before) {
  if (result.verdict == Verdict::slow) return lessons(course, rung, result);
  if (!grade::passed(result.verdict)) return "";
  const PastRun now = past_run(result);
  std::string text;
  if (const PastRun* start = start_of(earlier, now))
    text +=
        against(*start, now,
                start->number > 0 ? fmt::format("your run {}", start->number) : "your first right version");
  const course::Rung* rung_before = course::rung_before(course, rung);
  if (const PastRun* best = best_of(before, now); best && rung_before && rung_before->problem == rung.problem)
    text += against(*best, now, "the rung before");
  const bool first = std::none_of(earlier.begin(), earlier.end(),
                                  [](const PastRun& run) { return grade::passed(run.verdict); });
  if (first && !earlier.empty()) text = fmt::format("It passes at try {}.\n", earlier.size() + 1) + text;
  return text;
}

std::string next_after_pass(const course::Course& course, const course::Rung& rung,
                            const grade::Result& result) {
  const course::Rung* next = course::rung_after(course, rung);
  std::string text;
  if (result.verdict == Verdict::pass && result.measured)
    text = fmt::format("Gold starts at {:g}%, {:.1f} points from here. ", rung.target.gold,
                       std::max(0.0, rung.target.gold - result.measured->percent));
  if (!next) return text + "That was the last rung there is: well climbed.";
  return text + fmt::format("{}, {}. {}", next->path(), next->title, next->idea);
}

}  // namespace ridge::report
