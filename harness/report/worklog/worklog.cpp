#include "harness/report/worklog/worklog.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/store/run_json.h"
#include "harness/report/tables/history_table.h"
#include "harness/report/text/marked_text.h"

namespace ridge::report {
namespace {

using nlohmann::json;

constexpr size_t kMostDiffLines = 80;
const char* const kFields = "\n**Measured:** \n\n**Concluded:** \n\n**Hypothesis:** \n\n**Next:** \n\n";

const StoredRun* newest_on(const GradedVersion& version, grade::Engine engine) {
  const StoredRun* newest = nullptr;
  for (const StoredRun* run : version.runs)
    if (run->engine == engine) newest = run;
  return newest;
}

json measured_in(const StoredRun* run) {
  if (!run) return json::object();
  const json figures = object_in(run->figures);
  const auto found = figures.find("measured");
  return found != figures.end() && found->is_object() ? *found : json::object();
}

// "memory, at 91% of the roof"; empty when no roof was known.
std::string bound_in(const json& measured) {
  const json roof = measured.value("roof", json::object());
  const std::string bound = roof.value("bound", "");
  const double percent = roof.value("percent", 0.0);
  return bound.empty() || percent <= 0 ? bound : fmt::format("{}, at {:.0f}% of the roof", bound, percent);
}

// Escapes | for a cell of a table.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text.empty() ? "–" : text;
}

struct Columns {
  std::string verdict, time, percent, bound, modelled;
};

Columns columns_of_version(const GradedVersion& version) {
  Columns columns;
  const StoredRun* gpu = newest_on(version, grade::Engine::gpu);
  const StoredRun* counted = newest_on(version, grade::Engine::virtual_gpu);
  columns.verdict = grade::to_string(gpu ? gpu->verdict : counted->verdict);
  const json measured = measured_in(gpu);
  if (measured.contains("time_ms")) columns.time = fmt::format("{:.4g} ms", measured.value("time_ms", 0.0));
  if (gpu && gpu->percent) columns.percent = fmt::format("{:.1f}%", *gpu->percent);
  columns.bound = bound_in(measured);
  if (counted) {
    const std::string counts = outcome_of(*counted);
    columns.modelled =
        std::string(grade::to_string(counted->verdict)) + (counts.empty() ? "" : ", " + counts);
  }
  return columns;
}

std::string anchor_of(const GradedVersion& version) {
  return fmt::format("run-{}", version.runs.front()->number);
}

std::string numbers_of(const GradedVersion& version) {
  const int64_t first = version.runs.front()->number, last = version.runs.back()->number;
  return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

// The key contains the hash, because run numbers restart at 1 when a store was removed.
std::string key_of(const GradedVersion& version) {
  const StoredRun& first = *version.runs.front();
  return fmt::format("run {} {}", first.number, first.source_sha256.substr(0, 8));
}

MarkedBlock title_block(const course::Lab& lab) {
  return {"lab " + lab.name,
          fmt::format(
              "# Worklog of lab {}: {}\n\n"
              "`ridge worklog {}` replaces what is between two marks (Markdown comments) each time;\n"
              "what you write below a block is yours and stays. \"Of the library\" and \"bound by\" are "
              "measured on a\n"
              "GPU; the last column is counted on the virtual GPU.\n",
              lab.number, lab.title, lab.name),
          "\n"};
}

MarkedBlock rung_block(const RungWork& work) {
  std::string text = fmt::format("## {}\n\n{}\n\n", work.rung->title, work.rung->idea);
  text +=
      "| run | when | lines | verdict | time | of the library | bound by | virtual GPU |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const GradedVersion& version : work.versions) {
    const Columns columns = columns_of_version(version);
    text += fmt::format("| [{}](#{}) | {} | {} | {} | {} | {} | {} | {} |\n", numbers_of(version),
                        anchor_of(version), local_time(version.runs.front()->at_ms),
                        cell(change_words(version.change)), cell(columns.verdict), cell(columns.time),
                        cell(columns.percent), cell(columns.bound), cell(columns.modelled));
  }
  return {"rung " + work.rung->name, text, "\n"};
}

std::string cut(const std::string& diff) {
  std::istringstream lines(diff);
  std::string text;
  size_t count = 0, left = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++count <= kMostDiffLines)
      text += line + "\n";
    else
      ++left;
  }
  return left == 0 ? text : text + fmt::format("... and {} lines more: ridge diff shows them\n", left);
}

MarkedBlock version_block(const GradedVersion& version) {
  const Columns columns = columns_of_version(version);
  std::string title = columns.verdict;
  if (!columns.percent.empty()) title += fmt::format(", {} of the library", columns.percent);
  std::string text =
      fmt::format("<a id=\"{}\"></a>\n\n### Run {}: {}\n\n", anchor_of(version), numbers_of(version), title);
  const StoredRun& last = *version.runs.back();
  const std::string summary = object_in(last.figures).value("summary", "");
  if (!summary.empty()) text += summary + "\n";
  if (!version.diff.empty()) {
    text +=
        fmt::format("\n<details><summary>what changed: {}</summary>\n\n~~~~~~diff\n{}~~~~~~\n\n</details>\n",
                    change_words(version.change), cut(version.diff));
  }
  return {key_of(version), text, kFields};
}

}  // namespace

std::vector<RungWork> work_on(const course::Lab& lab, std::span<const StoredRun> runs,
                              const std::function<std::optional<std::string>(const std::string&)>& skeleton) {
  std::vector<RungWork> result;
  for (const course::Rung& rung : lab.rungs) {
    RungWork work{&rung, {}};
    for (const StoredRun& run : runs) {
      if (run.rung != rung.path() || run.origin != Origin::student) continue;
      const bool again =
          !work.versions.empty() && work.versions.back().runs.back()->source_sha256 == run.source_sha256;
      if (!again) work.versions.emplace_back();
      work.versions.back().runs.push_back(&run);
    }
    std::optional<std::string> before = work.versions.empty() ? std::nullopt : skeleton(rung.path());
    for (GradedVersion& version : work.versions) {
      const std::string& source = version.runs.front()->source;
      if (before) {
        version.change = text::count_changes(*before, source);
        version.diff = text::unified_diff(*before, source, false);
      }
      before = source;
    }
    if (!work.versions.empty()) result.push_back(std::move(work));
  }
  return result;
}

std::string worklog(const course::Lab& lab, std::span<const RungWork> work, const std::string& before) {
  std::vector<MarkedBlock> blocks = {title_block(lab)};
  for (const RungWork& rung : work) {
    blocks.push_back(rung_block(rung));
    for (const GradedVersion& version : rung.versions)
      blocks.push_back(version_block(version));
  }
  return rewritten(blocks, before);
}

}  // namespace ridge::report
