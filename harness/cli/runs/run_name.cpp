#include "harness/cli/runs/run_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "harness/cli/terminal/exit_status.h"

namespace ridge::cli {

using report::StoredRun;

const char* const kRunNames =
    "RUN is a run's number (`ridge history` lists them), last, -1 (the one before the last), -2, ...,\n"
    "best (of those that passed), or one of these with its rung before it: 01/1:best.\n";

namespace {

std::optional<int64_t> number_in(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "1 to 9", "3, 5 and 8": a short list for messages.
std::string those_there(std::span<const StoredRun> runs) {
  const auto last = runs.back().number, first = runs.front().number;
  if (last - first + 1 == static_cast<int64_t>(runs.size()))
    return first == last ? fmt::format("only run {}", first) : fmt::format("runs {} to {}", first, last);
  return fmt::format("{} runs between {} and {}", runs.size(), first, last);
}

const StoredRun& by_number(std::span<const StoredRun> all, int64_t number) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& run) { return run.number == number; });
  if (found == all.end()) {
    throw UsageError(fmt::format("there is no run {}; there {} {}, and `ridge history` lists them", number,
                                 all.size() == 1 ? "is" : "are", those_there(all)));
  }
  return *found;
}

std::vector<const StoredRun*> students_runs(std::span<const StoredRun> all, const std::string& rung) {
  std::vector<const StoredRun*> runs;
  for (const StoredRun& run : all) {
    if (run.rung == rung && run.origin == report::Origin::student) runs.push_back(&run);
  }
  if (runs.empty()) throw UsageError(fmt::format("{0} has no runs yet; make one: ridge grade {0}", rung));
  return runs;
}

const StoredRun& best_of(const std::vector<const StoredRun*>& runs) {
  const StoredRun* best = nullptr;
  for (const StoredRun* run : runs) {
    if (!grade::passed(run->verdict)) continue;
    if (!best || run->percent.value_or(-1) >= best->percent.value_or(-1)) best = run;
  }
  if (!best) {
    throw UsageError(fmt::format("no run of {} has passed yet, so none is the best; its last is {}",
                                 runs.front()->rung, runs.back()->number));
  }
  return *best;
}

const StoredRun& by_word(std::span<const StoredRun> all, const std::string& rung, const std::string& word) {
  const auto runs = students_runs(all, rung);
  if (word == "last") return *runs.back();
  if (word == "best") return best_of(runs);
  const int64_t back = number_in(word).value_or(0);
  if (back >= 0)
    throw UsageError(
        fmt::format("\"{}\" names no run; a run is its number, last, -1 (the one before the last), best, or "
                    "one of these with its rung, as in {}:best",
                    word, rung));
  if (-back >= static_cast<int64_t>(runs.size())) {
    throw UsageError(fmt::format("{} has {} run{}, so {} reaches too far back; its first is {}", rung,
                                 runs.size(), runs.size() == 1 ? "" : "s", word, runs.front()->number));
  }
  return *runs[runs.size() - 1 - static_cast<size_t>(-back)];
}

std::string one_rung(const course::Course& course, const std::string& name) {
  const auto rungs = course::find(course, name);
  if (rungs.size() != 1) {
    throw UsageError(fmt::format("{} is a lab of {} rungs; say of which: {}:last", name, rungs.size(),
                                 rungs.front()->path()));
  }
  return rungs.front()->path();
}

}  // namespace

std::vector<StoredRun> find_runs(std::span<const StoredRun> all, const course::Course& course,
                                 std::span<const std::string> names) {
  if (all.empty()) throw UsageError("nothing has been graded here yet; begin with: ridge grade 01/1");
  std::vector<const StoredRun*> found(names.size());
  std::string rung;  // the rung that words without a rung refer to
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t colon = names[i].rfind(':');
    if (colon != std::string::npos) {
      found[i] = &by_word(all, one_rung(course, names[i].substr(0, colon)), names[i].substr(colon + 1));
    } else if (const auto number = number_in(names[i]); number && *number >= 0) {
      found[i] = &by_number(all, *number);
    }
    if (found[i]) rung = found[i]->rung;
  }
  for (auto run = all.rbegin(); rung.empty() && run != all.rend(); ++run) {
    if (run->origin == report::Origin::student) rung = run->rung;
  }
  if (rung.empty()) rung = all.back().rung;
  std::vector<StoredRun> result;
  for (size_t i = 0; i < names.size(); ++i)
    result.push_back(found[i] ? *found[i] : by_word(all, rung, names[i]));
  return result;
}

const course::Rung& rung_of(const course::Course& course, const StoredRun& run) {
  for (const course::Lab& lab : course.labs) {
    for (const course::Rung& rung : lab.rungs)
      if (rung.path() == run.rung) return rung;
  }
  throw UsageError(
      fmt::format("this course has no rung {}: run {} is of another version of it; `ridge list` shows the "
                  "rungs of this one",
                  run.rung, run.number));
}

}  // namespace ridge::cli
