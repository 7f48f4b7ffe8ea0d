#include "harness/report/tables/history_table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/store/run_json.h"
#include "harness/report/tables/table.h"
#include "harness/report/text/text.h"

namespace ridge::report {

using namespace nlohmann::literals;

std::string local_time(int64_t at_ms) {
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<time_t>(at_ms / 1000)));
}

std::string outcome_of(const StoredRun& run) {
  const nlohmann::json figures = object_in(run.figures);
  if (run.percent) {
    const double times = figures.value("/measured/second/times"_json_pointer, 0.0);
    const double pass = figures.value("/measured/pass_percent"_json_pointer, 0.0);
    return fmt::format("{:.1f}%{}{}", *run.percent, pass > 0 ? fmt::format(" (pass {:g}%)", pass) : "",
                       times > 0 ? fmt::format(", {:.2f}x", times) : "");
  }
  const auto gates = figures.find("gates");
  if (gates == figures.end() || gates->empty()) return "";
  size_t passed = 0;
  std::string first_failed;
  for (const auto& gate : *gates) {
    const bool ok = gate.value("passed", false);
    passed += ok;
    if (!ok && first_failed.empty())
      first_failed = fmt::format("{} {:.4g}", gate.value("count", ""), gate.value("value", 0.0));
  }
  if (!first_failed.empty()) return first_failed;
  return fmt::format("{}/{} counts", passed, gates->size());
}

std::vector<std::optional<text::LineChange>> changes_of(std::span<const StoredRun> shown,
                                                        std::span<const StoredRun> all, Store* store) {
  std::map<int64_t, const StoredRun*> before;  // by run number: the preceding run
  std::map<std::pair<std::string, Origin>, const StoredRun*> last;
  for (const StoredRun& run : all) {
    const StoredRun*& previous = last[{run.rung, run.origin}];
    before[run.number] = previous;
    previous = &run;
  }
  std::vector<std::optional<text::LineChange>> changes(shown.size());
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto found = before.find(shown[i].number);
    const StoredRun* previous = found == before.end() ? nullptr : found->second;
    std::optional<std::string> skeleton;
    if (!previous && store && shown[i].origin == Origin::student)
      skeleton = store->remembered_skeleton(shown[i].rung);
    if (previous || skeleton)
      changes[i] = text::count_changes(previous ? previous->source : *skeleton, shown[i].source);
  }
  return changes;
}

std::string change_words(const std::optional<text::LineChange>& change) {
  if (!change) return "?";
  if (*change == text::LineChange{}) return "=";
  return fmt::format("+{} -{}", change->added, change->removed);
}

std::string history_table(std::span<const StoredRun> runs,
                          std::span<const std::optional<text::LineChange>> changes,
                          const HistoryColumns& columns, const Style& style) {
  std::vector<std::vector<Cell>> rows;
  const auto add = [&](Cell run, Cell when, Cell rung, Cell origin, std::vector<Cell> rest) {
    std::vector<Cell> row = {std::move(run), std::move(when)};
    if (columns.rung) row.push_back(std::move(rung));
    if (columns.origin) row.push_back(std::move(origin));
    row.insert(row.end(), rest.begin(), rest.end());
    rows.push_back(std::move(row));
  };
  const auto title = [](const char* text, bool right = false) { return Cell{text, Colour::dim, right}; };
  add(title("run", true), title("when"), title("rung"), title("file"),
      {title("verdict"), title("result", true), title("device"), title("lines")});
  for (size_t i = 0; i < runs.size(); ++i) {
    const StoredRun& run = runs[i];
    add({fmt::format("{}", run.number), Colour::bold, true}, {local_time(run.at_ms)}, {run.rung},
        {name_of(run.origin), Colour::dim},
        {{std::string(grade::to_string(run.verdict)), colour_of(run.verdict)},
         {outcome_of(run), Colour::none, true},
         {run.device, Colour::dim},
         {change_words(changes[i])}});
  }
  return table_of(rows, style);
}

}  // namespace ridge::report
