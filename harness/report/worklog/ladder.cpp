#include "harness/report/worklog/ladder.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/course/lab.h"

namespace ridge::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Percents {
  std::vector<double> values;
  std::vector<std::string> figures;  // of the same results
  std::string folder;
};

// By device and rung, without superseded results. Files that are not results, or damaged, are
// ignored; the course's tests check them.
using Measured = std::map<std::string, std::map<std::string, Percents>>;

Measured measured_in(const fs::path& root, const std::string& lab) {
  const std::set<std::string> superseded = superseded_results(root);
  Measured found;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(root / "course" / "measured", error))
    for (const auto& entry : fs::directory_iterator(folder.path(), error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(lab + ".run") || entry.path().extension() != ".json") continue;
      std::ifstream file(entry.path());
      const json document = json::parse(file, nullptr, false);
      if (!document.is_object() || !document.contains("results")) continue;
      for (const json& result : document["results"]) {
        if (!result.is_object() || !result.contains("measured") || !result["measured"].is_object() ||
            result.value("source", "") != "solution")
          continue;
        const std::string rung = result.value("rung", "");
        const double percent = result["measured"].value("percent", 0.0);
        const std::string in_folder = folder.path().filename().string() + "/" + name;
        if (superseded.contains(result_name(rung, in_folder, percent))) continue;
        Percents& percents = found[result.value("device", "")][rung];
        percents.values.push_back(percent);
        percents.figures.push_back(result.dump());
        percents.folder = "course/measured/" + folder.path().filename().string();
      }
    }
  return found;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The result closest to `percent`, among those with counts of the virtual GPU if any has them.
const std::string& nearest(const Percents& percents, double percent) {
  const auto order = [&](size_t k) {
    const bool has_counts = percents.figures[k].find("\"counts\":[{") != std::string::npos;
    return std::pair(!has_counts, std::abs(percents.values[k] - percent));
  };
  size_t best = 0;
  for (size_t k = 1; k < percents.values.size(); ++k)
    if (order(k) < order(best)) best = k;
  return percents.figures[best];
}

void add_runs(LadderRung& rung, const std::string& device, std::span<const StoredRun> runs) {
  const StoredRun* best = nullptr;
  const StoredRun* reference = nullptr;
  for (const StoredRun& run : runs) {
    if (run.rung != rung.path) continue;
    const bool measured = run.percent && run.device == device && grade::passed(run.verdict);
    if (run.origin == Origin::solution) {
      if (measured) reference = &run;  // the newest wins
      continue;
    }
    ++rung.runs;
    rung.passed |= grade::passed(run.verdict);
    if (measured && (!best || *run.percent > *best->percent)) best = &run;
  }
  if (best) rung.student = {*best->percent, fmt::format("run {} of this clone", best->number), 1};
  if (!rung.reference && reference)
    rung.reference = {*reference->percent,
                      fmt::format("run {} of this clone, of the solution", reference->number), 1};
}

}  // namespace

std::string result_name(const std::string& rung, const std::string& file, double percent) {
  return fmt::format("{} {} {:.1f}", rung, file, percent);
}

std::set<std::string> superseded_results(const fs::path& root) {
  const fs::path file = root / "course" / "measured" / "superseded.toml";
  std::set<std::string> names;
  if (!fs::exists(file)) return names;
  const auto damaged = [&](const std::string& why) {
    return std::runtime_error(fmt::format("{}: {}", file.string(), why));
  };
  try {
    const toml::table table = toml::parse_file(file.string());
    const toml::array* groups = table["superseded"].as_array();
    if (!groups) throw damaged("it has no [[superseded]]");
    for (const toml::node& group : *groups) {
      const auto rung = group.at_path("rung").value<std::string>();
      const toml::array* results = group.at_path("results").as_array();
      if (!rung || !results || group.at_path("why").value_or(std::string()).empty())
        throw damaged("every [[superseded]] needs a rung, a why and results");
      for (const toml::node& result : *results)
        names.insert(fmt::format("{} {}", *rung, result.value_or(std::string())));
    }
  } catch (const toml::parse_error& error) {
    throw damaged(std::string(error.description()));
  }
  return names;
}

std::string measured_device(const fs::path& root, const std::string& lab) {
  const Measured measured = measured_in(root, lab);
  const std::string first = "NVIDIA H200";
  if (measured.contains(first)) return first;
  const auto most = std::max_element(
      measured.begin(), measured.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == measured.end() ? "" : most->first;
}

Ladder read_ladder(const fs::path& root, const std::string& lab, const std::string& device,
                   std::span<const StoredRun> runs) {
  const course::Course course = course::load(root);
  Ladder ladder{lab, "", device, {}};
  const auto found = std::find_if(course.labs.begin(), course.labs.end(),
                                  [&](const course::Lab& one) { return one.name == lab; });
  if (found == course.labs.end()) return ladder;
  ladder.title = found->title;
  const Measured all = measured_in(root, lab);
  const auto of_device = all.find(device);
  const std::map<std::string, Percents> none;
  const auto& measured = of_device == all.end() ? none : of_device->second;
  for (const course::Rung& one : found->rungs) {
    if (!one.is_timed()) continue;
    const course::Target& target = one.target.on(device);
    LadderRung rung{one.path(), one.title, one.idea, one.baseline, target.pass, target.gold,
                    {},         {},        0,        false};
    if (const auto figures = measured.find(rung.path); figures != measured.end()) {
      rung.reference = {median(figures->second.values),
                        fmt::format("median of {} run{} in {}", figures->second.values.size(),
                                    figures->second.values.size() == 1 ? "" : "s", figures->second.folder),
                        static_cast<int>(figures->second.values.size())};
      rung.reference_figures = nearest(figures->second, rung.reference->percent);
    }
    add_runs(rung, device, runs);
    ladder.rungs.push_back(std::move(rung));
  }
  return ladder;
}

}  // namespace ridge::report
