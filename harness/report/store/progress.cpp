#include "harness/report/store/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/course/lessons.h"
#include "harness/course/pages.h"
#include "text/numbers.h"

namespace ridge::report {

namespace {

using grade::Verdict;

constexpr double kWorthSaying = 1.1;  // smaller changes come from partial tiles or the clock

struct Quantity {
  double PastRun::*value;
  const char* what;  // a format: "the loads touch {} sectors"
};
constexpr Quantity kQuantities[] = {
    {&PastRun::load_sectors, "sectors that loads touch"},
    {&PastRun::store_sectors, "sectors that stores touch"},
    {&PastRun::shared_wavefronts, "wavefronts of shared memory"},
    {&PastRun::requests, "accesses to global memory that warps make"},
};

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

uint64_t rounded(double count) {
  return static_cast<uint64_t>(std::llround(count));
}

// The largest decrease between two versions, as a sentence; "" when nothing is significant.
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
  return fmt::format(
      "{} fell from {} to {}, {} (modelled)", most->what, text::with_thousands(rounded(from.*most->value)),
      text::with_thousands(rounded(to.*most->value)), times(from.*most->value, to.*most->value));
}

std::string against(const PastRun& from, const PastRun& to, const std::string& whose) {
  if (from.percent && to.percent && from.time_ms && to.time_ms && *to.time_ms > 0) {
    if (*from.time_ms / *to.time_ms < 1.01) return "";
    std::string text = fmt::format("Won: {:.1f}% after {:.1f}% {}, {:.2f} times as fast", *to.percent,
                                   *from.percent, whose, *from.time_ms / *to.time_ms);
    if (!to.bound.empty() && from.roof_percent > 0)
      text += fmt::format(", {:.0f}% of the roof after {:.0f}%, bound by {}", to.roof_percent,
                          from.roof_percent, to.bound);
    text += " (measured).\n";
    const std::string fell = from.counted_size == to.counted_size ? what_fell(from, to) : "";
    return fell.empty() ? text : text + fmt::format("Why: {}.\n", fell);
  }
  const std::string fell = what_fell(from, to);
  return fell.empty() ? "" : fmt::format("Won: against {}, {}.\n", whose, fell);
}

// The slowest right version among the comparable ones: the student's starting point.
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

// "" when no rung is about that count. A student is not sent ahead for a count that this rung has a
// gate for, nor back for its main idea, which its first gate counts.
std::string lesson(const course::Course& course, const course::Rung& rung, const std::string& count,
                   bool asked) {
  const course::Rung* lesson = course::lesson_on(course, count);
  if (!lesson) return "";
  const bool later = comes_later(course, rung, *lesson);
  const bool own = asked && !rung.gates.empty() && rung.gates.front().count == count;
  if (own || lesson->path() == rung.path() || (asked && later))
    return fmt::format("{} is what this rung is about; for a hint: ridge hint {}\n", count, rung.path());
  return fmt::format("{} is what {}{} is about ({}).\n", count, lesson->path(), later ? ", further on," : "",
                     lesson->title);
}

std::string lessons(const course::Course& course, const course::Rung& rung, const grade::Result& result) {
  std::vector<std::string> counts;
  for (const grade::GateResult& gate : result.gates)
    if (!gate.passed) counts.push_back(gate.gate.count);
  const std::set<std::string> counts_that_failed(counts.begin(), counts.end());
  counts.insert(counts.end(), result.far_from_ideal.begin(), result.far_from_ideal.end());
  std::string text;
  for (const std::string& count : counts) {
    const bool asked = std::any_of(rung.gates.begin(), rung.gates.end(),
                                   [&](const course::Gate& gate) { return gate.count == count; });
    const std::string line = lesson(course, rung, count, asked || counts_that_failed.contains(count));
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
    text = fmt::format("Gold starts at {:g}%, {:.1f} points from here. ", result.measured->target.gold,
                       std::max(0.0, result.measured->target.gold - result.measured->percent));
  if (!course::page_of(course, rung).empty())
    text += fmt::format("`ridge read {}` shows what our solution does. ", rung.path());
  if (!next) return text + "That was the last rung of the course.";
  return text + fmt::format("{}, {}. {}", next->path(), next->title, next->idea);
}

}  // namespace ridge::report
