#include "harness/report/tables/compared_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/report/tables/table.h"
#include "harness/report/text/text.h"
#include "text/numbers.h"

namespace ridge::report {
namespace {

using json = nlohmann::ordered_json;  // keeps the stored order

struct Figure {
  std::string name;
  double value = 0;
};
using Figures = std::vector<Figure>;

json figures_of(const StoredRun& run) {
  json figures = json::parse(run.figures, nullptr, false);
  return figures.is_object() ? figures : json::object();
}

double number_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

// "gigabytes_per_second" becomes "gigabytes per second"; figures of later versions appear without a
// change here.
std::string in_words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

void add_numbers(const json& object, const std::string& before, Figures& figures) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) figures.push_back({before + in_words(key), value.get<double>()});
    if (value.is_object()) add_numbers(value, before + in_words(key) + ": ", figures);
  }
}

Figures measured_in(const json& figures) {
  Figures result;
  const auto measured = figures.find("measured");
  if (measured != figures.end() && measured->is_object()) add_numbers(*measured, "", result);
  return result;
}

// Gates by their count, then every kind of access summed over its lines, because lines move between
// versions.
Figures modelled_in(const json& figures) {
  Figures result;
  for (const json& gate : figures.value("gates", json::array()))
    result.push_back({gate.value("count", ""), number_in(gate, "value")});
  struct Sum {
    std::string what;
    double requests = 0, sectors = 0, wavefronts = 0;
  };
  std::vector<Sum> sums;
  for (const json& row : figures.value("counts", json::array())) {
    const std::string what = row.value("what", "");
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.what == what; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), Sum{what});
    sum->requests += number_in(row, "requests");
    sum->sectors += number_in(row, "sectors");
    sum->wavefronts += number_in(row, "wavefronts");
  }
  for (const Sum& sum : sums) {
    result.push_back({sum.what + ": requests", sum.requests});
    if (sum.sectors > 0) result.push_back({sum.what + ": sectors per request", sum.sectors / sum.requests});
    if (sum.wavefronts > 0)
      result.push_back({sum.what + ": wavefronts per request", sum.wavefronts / sum.requests});
  }
  return result;
}

Figures resources_in(const json& figures) {
  Figures result;
  for (const auto& [key, name] : {std::pair{"registers", "registers per thread"},
                                  {"spill_bytes", "bytes spilled"},
                                  {"shared_bytes", "bytes of shared memory per block"}}) {
    if (figures.contains(key) && figures[key].is_number()) result.push_back({name, number_in(figures, key)});
  }
  return result;
}

// Everything not shown by the groups above: numbers and objects of numbers ("traffic"), so that new
// figures appear without a change here.
Figures others_in(const json& figures) {
  constexpr std::string_view kShownElsewhere[] = {"registers", "spill_bytes", "shared_bytes", "measured",
                                                  "gates",     "counts",      "error_map"};
  json others = json::object();
  for (const auto& [key, value] : figures.items())
    if (std::find(std::begin(kShownElsewhere), std::end(kShownElsewhere), key) == std::end(kShownElsewhere))
      others[key] = value;
  Figures result;
  add_numbers(others, "", result);
  return result;
}

std::string shown(std::optional<double> value) {
  if (!value) return "-";
  if (*value == std::floor(*value) && std::abs(*value) < 1e15) {
    const auto whole = static_cast<int64_t>(*value);
    return (whole < 0 ? "-" : "") + text::with_thousands(static_cast<uint64_t>(std::abs(whole)));
  }
  return fmt::format("{:.4g}", *value);
}

std::string change_in(const std::string& name, std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == *after) return "";
  if (name.find("percent") != std::string::npos) return fmt::format("{:+.1f} points", *after - *before);
  if (*before == 0 || *after == 0 || (*before < 0) != (*after < 0)) return "";
  const double ratio = *after / *before;
  if (ratio >= 2) return fmt::format("x {:.3g}", ratio);
  if (ratio <= 0.5) return fmt::format("/ {:.3g}", 1 / ratio);
  return fmt::format("{:+.1f}%", 100 * (ratio - 1));
}

std::optional<double> value_of(const Figures& figures, const std::string& name) {
  for (const Figure& figure : figures)
    if (figure.name == name) return figure.value;
  return std::nullopt;
}

using Rows = std::vector<std::vector<Cell>>;

void add_group(Rows& rows, const char* title, const Figures& before, const Figures& after) {
  std::vector<std::string> names;
  for (const Figures* side : {&before, &after}) {
    for (const Figure& figure : *side)
      if (std::find(names.begin(), names.end(), figure.name) == names.end()) names.push_back(figure.name);
  }
  const bool all_zero = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return value_of(before, name).value_or(0) == 0 && value_of(after, name).value_or(0) == 0;
  });
  if (all_zero) return;
  if (title) rows.push_back({{title, Colour::dim}});
  for (const std::string& name : names) {
    const auto left = value_of(before, name), right = value_of(after, name);
    if (left.value_or(0) == 0 && right.value_or(0) == 0) continue;
    rows.push_back({{(title ? "  " : "") + name},
                    {shown(left), Colour::none, true},
                    {shown(right), Colour::none, true},
                    {change_in(name, left, right), Colour::bold}});
  }
}

}  // namespace

std::string compared_figures(const StoredRun& before, const StoredRun& after, const std::string& left,
                             const std::string& right, const Style& style) {
  const json old_figures = figures_of(before), new_figures = figures_of(after);
  Rows rows;
  rows.push_back({{}, {left, Colour::bold, true}, {right, Colour::bold, true}});
  const auto words = [&](const char* name, const std::string& old_text, const std::string& new_text,
                         Colour old_colour = Colour::none, Colour new_colour = Colour::none) {
    if (old_text.empty() && new_text.empty()) return;
    rows.push_back({{name}, {old_text, old_colour, true}, {new_text, new_colour, true}});
  };
  words("verdict", std::string(to_string(before.verdict)), std::string(to_string(after.verdict)),
        colour_of(before.verdict), colour_of(after.verdict));
  words("device", before.device, after.device);
  words("size", old_figures.value("size", ""), new_figures.value("size", ""));
  add_group(rows, nullptr, resources_in(old_figures), resources_in(new_figures));
  add_group(rows, "measured", measured_in(old_figures), measured_in(new_figures));
  add_group(rows, "modelled", modelled_in(old_figures), modelled_in(new_figures));
  add_group(rows, "other", others_in(old_figures), others_in(new_figures));
  return table_of(rows, style);
}

}  // namespace ridge::report
