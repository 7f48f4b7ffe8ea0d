#include "harness/grade/host/broken_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/grade/child_session.h"
#include "harness/grade/findings/source_scan.h"
#include "harness/problems/host/broken_launch.h"
#include "harness/problems/inputs.h"

namespace ridge::grade {

namespace {

using problems::Breakage;

struct Broken {
  Breakage how;
  std::string_view words;
  bool is_refused = false;  // the launch itself fails, and the process can go on
};
constexpr std::array<Broken, 4> kBroken = {
    {{Breakage::threads, "too many threads per block", true},
     {Breakage::shared_memory, "too much shared memory", true},
     {Breakage::address, "a store to a null pointer", false},
     {Breakage::trap, "a kernel that stops itself", false}}};
constexpr int64_t kMostElements = 3000;
constexpr size_t kReport = 2;  // the buffer with {code, line}

int line_at(std::string_view code, size_t position) {
  return 1 + static_cast<int>(
                 std::count(code.begin(), code.begin() + static_cast<ptrdiff_t>(position), '\n'));
}

// What was reported for the launch with this number, from 0.
std::optional<Outcome> judge_report(const runner::CaseRun& run, const Broken& broken, size_t launch,
                                    const LaunchLines& lines) {
  const auto* data = run.buffers.at(kReport).data.data();
  const auto code = static_cast<int64_t>(problems::load_element(problems::Type::int64, data, 0));
  const auto line = static_cast<int64_t>(problems::load_element(problems::Type::int64, data, 1));
  const runner::HostCalls& calls = *run.host_calls;
  const std::vector<Value> common = {
      {"which", launch + 1}, {"line", lines.first}, {"how", broken.words}};
  const auto with = [&](std::string_view id, std::vector<Value> values) {
    values.insert(values.end(), common.begin(), common.end());
    return outcome_with({id, std::move(values)});
  };
  if (calls.error == 0) return with("wrong.launch_left_out", {});
  if (code == 0) return with("wrong.error_missed", {{"name", calls.error_name}});
  if (code != calls.error)
    return with("wrong.error_code",
                {{"code", code}, {"right", calls.error}, {"name", calls.error_name}});
  if (line < lines.first || line > lines.last)
    return with("wrong.error_line", {{"reported", line}, {"name", calls.error_name}});
  if (broken.is_refused && calls.unfreed > 0)
    return with("wrong.not_freed_after_error", {{"count", calls.unfreed}});
  return std::nullopt;
}

}  // namespace

std::vector<LaunchLines> launch_lines(std::string_view source) {
  const std::string code = source_scan::without_comments(std::string(source));
  std::vector<LaunchLines> lines;
  for (size_t at = code.find("<<<"); at != std::string::npos;) {
    const size_t next = code.find("<<<", at + 3);
    const size_t end = std::min({next, code.find("cudaMemcpy", at), code.size()});
    const int first = line_at(code, at);
    lines.push_back({first, std::max(first, line_at(code, end) - 1)});
    at = next;
  }
  return lines;
}

std::optional<Outcome> check_broken_launches(const BrokenLaunches& work) {
  const std::vector<LaunchLines> lines = launch_lines(work.compiled.from.source);
  if (lines.size() != problems::kLaunches)
    return outcome_with(
        {"wrong.launches_changed", {{"count", lines.size()}, {"wanted", problems::kLaunches}}});
  const problems::Problem& problem = problems::find_problem(work.rung.problem);
  problems::Random random(work.seed);
  std::array<size_t, kBroken.size()> launches;  // the launch that is broken in each way
  std::iota(launches.begin(), launches.end(), 0);
  for (size_t i = launches.size(); i > 1; --i)
    std::swap(launches[i - 1],
              launches[static_cast<size_t>(random.from_one_to(static_cast<int64_t>(i)) - 1)]);
  for (size_t i = 0; i < kBroken.size(); ++i) {
    const Broken& broken = kBroken[i];
    const std::string during = fmt::format("with a broken launch ({})", broken.words);
    work.progress(during);
    runner::SessionOptions options = child_session(work.installation, work.engine, work.libraries,
                                                   work.scratch / fmt::format("broken-{}", i));
    options.readable = {work.compiled.object};
    runner::Session session(options);
    if (auto failure = session.load(work.compiled.object, work.rung.entry, problem))
      return outcome_of(*failure, during, kCallLimitSeconds);
    const problems::Sizes sizes = {random.from_one_to(kMostElements),
                                   static_cast<int64_t>(launches[i]) + 1,
                                   static_cast<int64_t>(broken.how)};
    // An even seed: the arrays are not page-locked, and remain when the device is lost.
    const auto answer = session.run_case(
        problems::make_case(problem, sizes, problems::Draw::uniform, random.next() / 2 * 2), false);
    if (const auto* failure = std::get_if<runner::Failure>(&answer))
      return outcome_of(*failure, during, kCallLimitSeconds);
    if (auto wrong = judge_report(std::get<runner::CaseRun>(answer), broken, launches[i],
                                  lines[launches[i]]))
      return wrong;
  }
  return std::nullopt;
}

}  // namespace ridge::grade
