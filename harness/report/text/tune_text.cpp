#include "harness/report/text/tune_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/report/tables/table.h"

namespace ridge::report {

namespace {

using tune::Candidate;
using tune::Pruned;

constexpr Pruned kReasons[] = {Pruned::forbidden, Pruned::not_compiled, Pruned::does_not_fit,
                               Pruned::few_warps, Pruned::spills,       Pruned::not_reached};

Cell number(std::string text, Colour colour = Colour::none) {
  return {std::move(text), colour, true};
}

void add_names(std::vector<Cell>& row, const tune::Space& space) {
  for (const tune::Parameter& parameter : space.parameters())
    row.push_back(number(parameter.name, Colour::dim));
  for (const char* title : {"threads", "registers", "shared", "warps/SM"})
    row.push_back(number(title, Colour::dim));
}

std::string or_dash(uint64_t value) {
  return value == 0 ? "-" : fmt::format("{}", value);
}

void add_candidate(std::vector<Cell>& row, const tune::Space& space, const Candidate& candidate) {
  for (size_t i = 0; i < candidate.values.size(); ++i)
    row.push_back(number(space.parameters()[i].text_of(candidate.values[i])));
  row.push_back(number(or_dash(candidate.threads)));
  row.push_back(number(or_dash(candidate.resources.registers)));
  row.push_back(number(or_dash(candidate.resources.shared_bytes)));
  row.push_back(number(or_dash(candidate.occupancy.warps_per_sm)));
}

// The reasons of one kind, most frequent first. Reasons are grouped by their words, because numbers
// differ between settings.
std::vector<std::pair<size_t, std::string>> whys(const tune::Tuning& tuning, Pruned pruned) {
  std::map<std::string, size_t> counts;
  for (const Candidate& candidate : tuning.candidates)
    if (candidate.pruned == pruned) ++counts[candidate.why];
  std::vector<std::pair<size_t, std::string>> list;
  for (const auto& [why, count] : counts)
    list.emplace_back(count, why);
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return list;
}

}  // namespace

std::string pruned_text(const tune::Tuning& tuning, const Style& style) {
  std::string text =
      fmt::format("{} settings, {} worth measuring\n", tuning.candidates.size(), tuning.measurable.size());
  constexpr size_t kMostWhys = 4;
  for (const Pruned pruned : kReasons) {
    const auto list = whys(tuning, pruned);
    if (list.empty()) continue;
    text += fmt::format("  {:>4}  {}\n", tuning.count(pruned), tune::name(pruned));
    for (size_t i = 0; i < list.size() && i < kMostWhys; ++i)
      text +=
          style.paint(Colour::dim, fmt::format("        {:>4}  {}", list[i].first, list[i].second)) + "\n";
    if (list.size() > kMostWhys)
      text += style.paint(Colour::dim,
                          fmt::format("              and {} more such reasons", list.size() - kMostWhys)) +
              "\n";
  }
  return text;
}

std::string tried_table(const tune::Space& space, const tune::Tuning& tuning, size_t most,
                        const Style& style) {
  std::vector<std::vector<Cell>> rows(1);
  rows[0] = {number("try", Colour::dim), number("% of library", Colour::dim), number("ms", Colour::dim)};
  add_names(rows[0], space);
  const auto order = [&](const tune::Tried* tried) { return tried - tuning.tried.data() + 1; };
  const auto ranked = tuning.ranked();
  for (size_t i = 0; i < ranked.size() && i < most; ++i) {
    const tune::Measurement& measured = ranked[i]->measurement;
    std::vector<Cell> row = {
        number(fmt::format("{}", order(ranked[i]))),
        number(fmt::format("{:.1f}", measured.percent), i == 0 ? Colour::green : Colour::none),
        number(fmt::format("{:.4f}", measured.time_ms))};
    add_candidate(row, space, tuning.candidates[ranked[i]->candidate]);
    rows.push_back(std::move(row));
  }
  std::string text = table_of(rows, style);
  if (ranked.size() > most) text += fmt::format("and {} slower ones\n", ranked.size() - most);
  for (const tune::Tried& tried : tuning.tried)
    if (!tried.right())
      text +=
          fmt::format("try {}: {}: {}\n", order(&tried),
                      space.describe(tuning.candidates[tried.candidate].values), tried.measurement.failure);
  return text;
}

std::string dry_table(const tune::Space& space, const tune::Tuning& tuning, const std::vector<size_t>& order,
                      size_t most, const Style& style) {
  std::vector<std::vector<Cell>> rows(1);
  rows[0] = {number("try", Colour::dim)};
  add_names(rows[0], space);
  for (size_t i = 0; i < order.size() && i < most; ++i) {
    std::vector<Cell> row = {number(fmt::format("{}", i + 1))};
    add_candidate(row, space, tuning.candidates[order[i]]);
    rows.push_back(std::move(row));
  }
  std::string text = table_of(rows, style);
  if (order.size() > most) text += fmt::format("and {} more\n", order.size() - most);
  return text;
}

std::string gap_text(const tune::Space& space, const tune::Tuning& tuning, const Style& style) {
  if (!tuning.gap) return "";
  return style.paint(
      tuning.gap->percent <= 2 ? Colour::none : Colour::yellow,
      fmt::format("All were measured. The best is: {}.\nThe first {} tries came within {:.2f}% "
                  "of it.\n",
                  space.describe(tuning.candidates[tuning.gap->best].values), tuning.gap->tries,
                  tuning.gap->percent));
}

std::string tuning_json(const tune::Space& space, const tune::Tuning& tuning, const TunedHere& here) {
  using nlohmann::ordered_json;
  ordered_json json = {{"schema", 1},
                       {"rung", here.rung},
                       {"device", here.device},
                       {"size", here.size},
                       {"baseline", here.baseline},
                       {"parameters", ordered_json::array()},
                       {"settings", tuning.candidates.size()}};
  for (const tune::Parameter& parameter : space.parameters())
    json["parameters"].push_back(parameter.name);
  json["pruned"] = ordered_json::object();
  for (const Pruned pruned : kReasons)
    if (const size_t count = tuning.count(pruned)) json["pruned"][std::string(tune::name(pruned))] = count;
  json["interrupted"] = tuning.interrupted;
  json["tried"] = ordered_json::array();
  for (const tune::Tried& tried : tuning.tried) {
    const Candidate& candidate = tuning.candidates[tried.candidate];
    json["tried"].push_back({{"values", candidate.values},
                             {"percent", tried.measurement.percent},
                             {"percent_low", tried.measurement.percent_low},
                             {"percent_high", tried.measurement.percent_high},
                             {"time_ms", tried.measurement.time_ms},
                             {"registers", candidate.resources.registers},
                             {"threads", candidate.threads},
                             {"shared_bytes", candidate.resources.shared_bytes},
                             {"warps_per_sm", candidate.occupancy.warps_per_sm},
                             {"failure", tried.measurement.failure}});
  }
  json["gap_percent"] = tuning.gap ? ordered_json(tuning.gap->percent) : ordered_json();
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ridge::report
