#include "harness/grade/diagnosis/returned_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "harness/grade/diagnosis/error_map.h"
#include "harness/problems/rows_in_parallel.h"

namespace ridge::grade {

namespace {

using problems::Case;
using runner::Returned;

// A result that agrees with a known mistake in more elements than these does not do so by chance.
constexpr int64_t kNoChance = 64;

// Reports how far past its end, or before its start, a buffer was written.
std::optional<Outcome> examine_guards(const Case& given, const std::vector<Returned>& returned) {
  auto touched = [](std::byte b) { return b != std::byte{runner::kGuardByte}; };
  for (size_t i = 0; i < returned.size(); ++i) {
    const problems::Buffer& buffer = given.buffers[i];
    int64_t size = problems::bytes_of(buffer.type);
    auto after = returned[i].after, before = returned[i].before;
    auto first = std::find_if(after.begin(), after.end(), touched);
    auto last = std::find_if(before.rbegin(), before.rend(), touched);
    if (first == after.end() && last == before.rend()) continue;
    if (first != after.end()) {
      const auto furthest = std::find_if(after.rbegin(), after.rend(), touched);
      const int64_t from = (first - after.begin()) / size, to = (after.rend() - furthest - 1) / size;
      return outcome_with({"out_of_bounds.after_the_end",
                           {{"where", where_in(given)},
                            {"array", buffer.name},
                            {"elements", buffer.elements()},
                            {"first", buffer.elements() + from},
                            {"last", buffer.elements() + to}}});
    }
    const auto furthest = std::find_if(before.begin(), before.end(), touched);
    return outcome_with({"out_of_bounds.before_the_start",
                         {{"where", where_in(given)},
                          {"array", buffer.name},
                          {"elements", (before.end() - furthest + size - 1) / size}}});
  }
  return std::nullopt;
}

// The first byte that differs; -1: none. Each byte is read once, because the child may still be
// writing.
int64_t first_difference(std::span<const std::byte> original, const std::byte* got) {
  const auto size = static_cast<int64_t>(original.size());
  std::atomic<int64_t> least = size;
  problems::rows_in_parallel(size, 1 << 20, [&](int64_t first, int64_t last) {
    const std::byte* from = original.data();
    const int64_t at = std::mismatch(from + first, from + last, got + first).first - from;
    if (at == last) return;
    int64_t known = least;
    while (at < known && !least.compare_exchange_weak(known, at)) {
    }
  });
  return least == size ? -1 : least.load();
}

std::optional<Outcome> examine_inputs(const Case& given, const std::vector<Returned>& returned) {
  for (size_t i = 0; i < returned.size(); ++i) {
    const problems::Buffer& buffer = given.buffers[i];
    if (!buffer.read() || buffer.written()) continue;
    const std::byte* got = returned[i].data.data();
    const std::span<const std::byte> original =
        std::span(given.initial[i]).subspan(static_cast<size_t>(returned[i].first), returned[i].data.size());
    const int64_t differs = first_difference(original, got);
    if (differs < 0) continue;
    const int64_t size = problems::bytes_of(buffer.type);
    const auto shown = [&](const std::byte* data) {
      return fmt::format("{:.7g}", problems::load_element(buffer.type, data, differs / size));
    };
    return outcome_with({"wrong.input_changed",
                         {{"array", buffer.name},
                          {"where", where_in(given)},
                          {"index", (returned[i].first + differs) / size},
                          {"before", shown(original.data())},
                          {"after", shown(got)}}});
  }
  return std::nullopt;
}

// Correct outputs whose bits differ between ranks.
std::optional<Outcome> examine_ranks(const Case& given, const std::vector<Returned>& returned) {
  size_t first = 0;
  while (!given.buffers[first].written())
    ++first;
  for (size_t i = first + 1; i < returned.size(); ++i) {
    const problems::Buffer& buffer = given.buffers[i];
    if (!buffer.written()) continue;
    const auto size = static_cast<size_t>(problems::bytes_of(buffer.type));
    int64_t differ = 0;
    for (size_t at = 0; at < returned[i].data.size(); at += size)
      differ += std::memcmp(&returned[first].data[at], &returned[i].data[at], size) != 0;
    if (differ > 0)
      return outcome_with({"wrong.ranks_differ",
                           {{"array", buffer.name},
                            {"first", given.buffers[first].name},
                            {"where", where_in(given)},
                            {"count", differ},
                            {"of", buffer.elements()}}});
  }
  return std::nullopt;
}

// The finding of a mistake of the problem whose result is the answer, in every output. An answer of
// zeros is explained by none: they are also the answer of a kernel that adds nothing.
std::optional<Finding> known_mistake(const Case& given, const std::vector<Returned>& returned) {
  for (const problems::Mistake& mistake : given.problem->mistakes) {
    const std::vector<problems::Expected> result = mistake.result(given);
    const bool equal = std::all_of(result.begin(), result.end(), [&](const problems::Expected& expected) {
      const size_t i = expected.buffer;
      return problems::compare(given.buffers[i], expected, returned[i].data).right();
    });
    const bool is_zero = std::all_of(result.begin(), result.end(), [](const problems::Expected& expected) {
      return std::all_of(expected.value.begin(), expected.value.end(), [](double value) { return value == 0; });
    });
    if (equal && !is_zero) return Finding{mistake.finding, {}};
  }
  return std::nullopt;
}

}  // namespace

std::string where_in(const Case& given) {
  return "for " + problems::describe(*given.problem, given.sizes);
}

Outcome changed_while_compared(const Case& given, const std::string& array) {
  return outcome_with({"suspect.changes_while_compared", {{"array", array}, {"where", where_in(given)}}});
}

std::optional<Outcome> examine(const Case& given, const std::vector<Returned>& returned,
                               const std::vector<problems::Expected>* known,
                               const std::function<bool()>& adds_atomically) {
  if (auto outcome = examine_guards(given, returned)) return outcome;
  if (auto outcome = examine_inputs(given, returned)) return outcome;
  std::vector<problems::Expected> worked_out;
  if (!known) worked_out = given.problem->reference(given);
  for (const problems::Expected& expected : known ? *known : worked_out) {
    const problems::Buffer& buffer = given.buffers[expected.buffer];
    auto got = returned[expected.buffer].data;
    if (problems::compare(buffer, expected, got).right()) continue;
    Output output(buffer, expected, got, given.initial[expected.buffer]);
    if (output.wrong() == 0) return changed_while_compared(given, buffer.name);
    Pattern pattern = grade::explain(output, &given);
    const auto mistake = known_mistake(given, returned);
    if (mistake) pattern = {*mistake};
    if (pattern.finding.id == "wrong.nothing_written" && !output.had_values() && adds_atomically &&
        adds_atomically())
      pattern = {Finding{"wrong.not_cleared", {{"array", buffer.name}}}};
    std::string inputs = given.draw == problems::Draw::uniform
                             ? ""
                             : fmt::format(" (inputs {})", problems::to_string(given.draw));
    Outcome outcome;
    outcome.verdict = Verdict::wrong;
    outcome.finding = pattern.finding.id;
    outcome.summary = output.elements() == 1
                          ? fmt::format("{} is wrong {}{}.", buffer.name, where_in(given), inputs)
                          : fmt::format("{} of {} elements of {} are wrong {}{}.", output.wrong(),
                                        output.elements(), buffer.name, where_in(given), inputs);
    outcome.next = pattern.next();
    outcome.detail = fmt::format("{}\n{}", pattern.sentence(), first_mismatches(output));
    outcome.error_map = error_map(output);
    outcome.all_wrong = output.wrong() == output.elements();
    outcome.is_vague = pattern.is_vague();
    outcome.names_mistake = mistake && output.elements() >= kNoChance;
    return outcome;
  }
  return given.problem->same_on_all_ranks ? examine_ranks(given, returned) : std::nullopt;
}

}  // namespace ridge::grade
