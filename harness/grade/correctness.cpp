#include "harness/grade/correctness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/build/instruction_mix.h"
#include "harness/grade/diagnosis/atomic_adds.h"
#include "harness/grade/diagnosis/returned_buffers.h"
#include "harness/grade/diagnosis/size_pattern.h"
#include "harness/grade/findings/check_finding.h"
#include "harness/grade/host/host_call.h"
#include "harness/grade/host/reported_time.h"

namespace ridge::grade {

namespace {

using problems::Case;
using runner::Returned;

// After a wrong answer small sizes still show which sizes are right; large ones would only take
// time.
constexpr int64_t kLargestAfterWrong = 1 << 16;
// A call with this many launches that did not return is in a loop around the launch.
constexpr size_t kManyLaunches = 1000;
// More than two blocks of 256, so that a pattern that repeats in every block is visible.
constexpr int64_t kShowsBlocks = 600;
constexpr int64_t kShowsRows = 16;
constexpr int64_t kShowsTiles = 4096;
// Fewer correct sizes may be correct by chance.
constexpr size_t kFewestRightShown = 3;
// Value of shown_shows (check_all) for a clear wrong answer: ordinary inputs and a visible pattern.
constexpr int kClear = 3;

// For two extents "n = 31, 32, 33" would be too long, so those are written "31x33".
std::string short_list(const std::vector<problems::Sizes>& sizes) {
  std::string text;
  size_t shown = std::min<size_t>(sizes.size(), 8);
  for (size_t i = 0; i < shown; ++i) {
    text += i ? ", " : "";
    for (size_t d = 0; d < sizes[i].size(); ++d)
      text += fmt::format("{}{}", d ? "x" : "", sizes[i][d]);
  }
  if (sizes.size() > shown) text += fmt::format(" and {} more", sizes.size() - shown);
  return text;
}

// How much of a mistake a size can show. With a single row or column a two-dimensional mistake has
// no pattern.
int shown_by(const problems::Problem& problem, const problems::Sizes& sizes) {
  int64_t elements = 1, least = INT64_MAX;
  const size_t first = problem.on_ranks ? 1 : 0;  // a number of devices is not an extent of an array
  for (size_t at = first; at < sizes.size(); ++at) {
    elements *= sizes[at];
    least = std::min(least, sizes[at]);
  }
  if (sizes.size() - first > 1 && least < kShowsRows) return least < 3 ? 0 : 1;
  return elements >= kShowsBlocks ? 3 : elements >= 64 ? 2 : 0;
}

// A race with a copy is one with the harness's: what follows in a rank's stream reads the rank's
// output. Either the copy has found it, or the kernel that writes; a copy has no line.
void name_output_race(trace::Finding& finding) {
  if (finding.check != "race" || !finding.cause.starts_with("peer_")) return;
  const auto value = [&](std::string_view name) {
    return std::find_if(finding.values.begin(), finding.values.end(),
                        [&](const trace::NamedValue& one) { return one.name == name; });
  };
  const auto line = value("other_line"), device = value("device"), other = value("other_device");
  if (finding.cause != "peer_copy") {
    if (line == finding.values.end() || !line->text.empty() || other == finding.values.end()) return;
    device->text = other->text;
  }
  finding.cause = "peer_output";
}

// The launches whose lines begin at byte `from` or later, which becomes the end of the last whole
// line: reading all of a long report after each case takes longer than the cases.
std::vector<trace::LaunchReport> reports_from(const std::filesystem::path& file, size_t& from) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(from));
  std::string text(std::istreambuf_iterator<char>(stream), {});
  text.resize(text.rfind('\n') + 1);  // 0 without a newline
  if (text.empty()) return {};
  std::filesystem::path whole = file;
  whole += ".whole";
  std::ofstream(whole, std::ios::binary) << text;
  std::vector<trace::LaunchReport> reports = trace::read_reports(whole);
  from += text.size();
  return reports;
}

}  // namespace

std::vector<trace::LaunchReport> reports_so_far(const std::filesystem::path& file) {
  size_t from = 0;
  return reports_from(file, from);
}

Outcome CaseChecker::explain(const runner::Failure& failure, const std::string& during) const {
  if (auto found = finding(during)) return *found;
  if (const size_t launches = launches_of_endless_call(failure); launches >= kManyLaunches)
    return outcome_with({"timeout.many_launches", {{"seconds", limit_seconds_}, {"launches", launches}}}, "",
                        during);
  return outcome_of(failure, during, limit_seconds_);
}

// How many kernels had been launched when a call did not return; 0: it returned, or the number is
// unknown.
size_t CaseChecker::launches_of_endless_call(const runner::Failure& failure) const {
  if (failure.stage != runner::Failure::Stage::ended ||
      failure.end.how != runner::ChildEnd::How::timed_out)
    return 0;
  try {
    return reports().size();
  } catch (const std::runtime_error&) {
    return 0;
  }
}

const std::vector<trace::LaunchReport>& CaseChecker::reports() const {
  std::ranges::move(reports_from(report_file_, looked_at_), std::back_inserter(reports_));
  return reports_;
}

std::optional<Outcome> CaseChecker::finding(const std::string& during) const {
  try {
    for (const trace::LaunchReport& report : reports()) {
      for (trace::Finding found : report.findings) {
        if (found.check == "leak") continue;
        if (on_ranks_) name_output_race(found);
        return outcome_of(found, during, source_, report.kernel);
      }
    }
  } catch (const std::runtime_error& damage) {
    return outcome_with({"suspect.report_damaged"}, damage.what());
  }
  return std::nullopt;
}

CaseChecker::CaseResult CaseChecker::check(const Case& given, bool profiled) {
  on_ranks_ = given.problem->on_ranks;
  auto answer = session_.run_case(given, profiled);
  addresses_.clear();
  left_allocated_ = {};
  if (auto* failure = std::get_if<runner::Failure>(&answer))
    return {explain(*failure, where_in(given)), false};
  const runner::CaseRun& run = std::get<runner::CaseRun>(answer);
  addresses_ = run.addresses;
  left_allocated_ = run.left_allocated;
  std::optional<Outcome> outcome;
  if (run.host_calls) outcome = examine_order(*run.host_calls, where_in(given));
  if (!outcome) outcome = examine(given, run.buffers, nullptr, [&] {
      return !object_.empty() && adds_atomically(build::ptx_in(object_));
    });
  if (run.host_calls) outcome = examine_rest(*run.host_calls, std::move(outcome), where_in(given));
  if (!outcome && given.problem->host_code == problems::HostCode::time)
    outcome = examine_time(*run.host_calls,
                           problems::load_element(given.buffers.back().type, run.buffers.back().data.data(), 0),
                           given.problem->operations(given.sizes) / 2, where_in(given));
  if (!outcome && !run.left_running.empty())
    outcome = outcome_with({run.left_on_default_stream ? "suspect.left_on_default_stream" : "suspect.left_running",
                            {{"call", run.left_running}, {"where", where_in(given)}}});
  if (!outcome && !profiled && given.problem->repeatable) outcome = check_repeated(given, run.buffers);
  return {std::move(outcome), true};
}

std::optional<Outcome> CaseChecker::memory_left(const Case& given) const {
  if (left_allocated_[0] == 0) return std::nullopt;
  return outcome_with({"wrong.left_allocated",
                       {{"count", left_allocated_[0]},
                        {"are", left_allocated_[0] == 1 ? "allocation is" : "allocations are"},
                        {"bytes", left_allocated_[1]},
                        {"where", where_in(given)}}});
}

std::optional<Outcome> CaseChecker::check_repeated(const Case& given, const std::vector<Returned>& returned) {
  std::vector<std::vector<std::byte>> first;  // the views become invalid with the next call
  for (const Returned& buffer : returned)
    first.emplace_back(buffer.data.begin(), buffer.data.end());
  auto answer = session_.run_case(given, false);
  if (auto* failure = std::get_if<runner::Failure>(&answer)) return explain(*failure, where_in(given));
  const std::vector<Returned>& again = std::get<runner::CaseRun>(answer).buffers;
  for (size_t i = 0; i < again.size(); ++i) {
    const problems::Buffer& buffer = given.buffers[i];
    const auto size = static_cast<size_t>(problems::bytes_of(buffer.type));
    int64_t differ = 0;
    for (size_t at = 0; at < first[i].size(); at += size)
      differ += std::memcmp(&first[i][at], &again[i].data[at], size) != 0;
    if (differ > 0)
      return outcome_with({"wrong.not_repeatable",
                           {{"array", buffer.name},
                            {"where", where_in(given)},
                            {"count", differ},
                            {"of", buffer.elements()}}});
  }
  return std::nullopt;
}

std::optional<Outcome> CaseChecker::check_profiled(const Case& given) {
  auto outcome = check(given, true).outcome;
  auto found = finding(where_in(given));
  return found ? found : outcome;
}

std::optional<Outcome> CaseChecker::check_all(const problems::Problem& problem,
                                              const std::vector<PlannedCase>& plan,
                                              const std::function<void(std::string_view)>& progress) {
  std::optional<Outcome> shown, left;
  int shown_shows = -1;
  std::vector<problems::Sizes> right, wrong;
  std::string last;
  for (size_t i = 0; i < plan.size(); ++i) {
    int64_t elements = 1;
    for (int64_t size : plan[i].sizes)
      elements *= size;
    if (shown && elements > kLargestAfterWrong) continue;
    Case given = problems::make_case(problem, plan[i].sizes, plan[i].draw, plan[i].seed);
    last = where_in(given);
    if (progress)
      progress(fmt::format("checking {} of {}: {}", i + 1, plan.size(),
                           problems::describe(problem, plan[i].sizes)));
    const CaseResult result = check(given, false);
    if (!result.outcome && plan[i].again && !left) left = memory_left(given);
    const std::optional<Outcome>& outcome = result.outcome;
    // A finding of a check or a write outside an array says more than a wrong number. Exception:
    // when a pattern in complete tiles was found, an unwritten element of a partial tile is only a
    // consequence.
    if (outcome && outcome->verdict != Verdict::wrong) {
      if (!shown || outcome->verdict != Verdict::uninitialised || shown_shows < kClear) return outcome;
      shown->detail += "And: " + outcome->summary + "\n";
      return shown;
    }
    if (!result.goes_on) return outcome;
    (outcome ? wrong : right).push_back(plan[i].sizes);
    if (!outcome) continue;
    // Keep the first wrong answer that shows most: a known mistake, ordinary inputs (none is right by
    // chance), some elements right if possible, and large enough for a pattern.
    bool ordinary = plan[i].draw == problems::Draw::uniform;
    int size = shown_by(problem, plan[i].sizes);
    // A single result has no error map: a size with more than one block or tile shows more.
    if (!outcome->error_map && elements >= kShowsTiles) ++size;
    int shows = (outcome->names_mistake ? 8 : 0) + (ordinary && !outcome->all_wrong && size > 0 ? 4 : 0) + size +
                (ordinary ? 1 : 0);
    if (shows > shown_shows) {
      shown = outcome;
      shown_shows = shows;
    }
  }
  if (auto found = finding("")) return found;
  if (!shown) return left;
  if (!right.empty()) {
    // If most sizes are wrong, list the right ones; otherwise list the wrong ones.
    if (wrong.size() <= right.size())
      shown->detail +=
          fmt::format("wrong for {}; right for the other {} sizes\n", short_list(wrong), right.size());
    else if (right.size() >= kFewestRightShown)
      shown->detail +=
          fmt::format("right for {}; wrong for the other {} sizes\n", short_list(right), wrong.size());
    if (const Answer apart = sizes_apart(problem, right, wrong)) {
      shown->detail = apart->sentence() + "\n" + shown->detail;
      if (shown->is_vague) shown->next = apart->next();
    }
  }
  return shown;
}

}  // namespace ridge::grade
