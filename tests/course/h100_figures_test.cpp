// Figures of an H100 that pages quote, and gold targets that follow from them: each against the
// committed runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "harness/report/worklog/ladder.h"
#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

const fs::path kCourse = fs::path(RIDGE_SOURCE_DIR) / "course";

std::string whole_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The percentages of every run that is not superseded, by "LAB/RUNG".
std::map<std::string, std::vector<double>> percent_by_rung(const std::string& device) {
  std::map<std::string, std::vector<double>> found;
  const fs::path folder = kCourse / "measured" / device;
  if (!fs::exists(folder)) return found;
  const auto superseded = ridge::report::superseded_results(RIDGE_SOURCE_DIR);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".run") == std::string::npos || entry.path().extension() != ".json") continue;
    const auto document = nlohmann::json::parse(whole_file(entry.path()));
    for (const auto& result : document["results"]) {
      if (!result["measured"].is_object()) continue;
      const std::string rung = result["rung"];
      const double percent = result["measured"]["percent"];
      if (!superseded.contains(ridge::report::result_name(rung, device + "/" + name, percent)))
        found[rung].push_back(percent);
    }
  }
  return found;
}

double median_percent(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The paragraph **Won** of a rung's page, as one line; "" if there is no page.
std::string won_paragraph(const std::string& rung) {
  const size_t slash = rung.find('/');
  for (const auto& folder : fs::directory_iterator(kCourse / "worklogs")) {
    if (!folder.path().filename().string().starts_with(rung.substr(0, 3))) continue;
    const std::string text = whole_file(folder.path() / (rung.substr(slash + 1) + ".md"));
    const size_t at = text.find("**Won");
    if (at == std::string::npos) continue;
    std::string won = text.substr(at, text.find("\n\n", at) - at);
    std::replace(won.begin(), won.end(), '\n', ' ');
    return won;
  }
  return "";
}

// "" or what is wrong with the first percentage, with one decimal, that a page quotes of an H100.
std::string wrong_quote(const std::string& won, const std::vector<double>& percent) {
  std::smatch device, quoted;
  if (!std::regex_search(won, device, std::regex("On (an H100|two H100s)"))) return "";
  const std::string rest = device.suffix();
  if (!std::regex_search(rest, quoted, std::regex(R"((\d+\.\d)%)"))) return "";
  const std::string median = fmt::format("{:.1f}", median_percent(percent));
  if (quoted[1] == median) return "";
  for (const double run : percent)  // a page may quote one run
    if (quoted[1] == fmt::format("{:.1f}", run)) return "";
  return "the median is " + median + "%";
}

// The rung's gold for an H100; 0 if it has none. targets_test.cpp compares such figures with all results.
double gold_of(const std::string& rung) {
  const size_t slash = rung.find('/');
  const std::string toml =
      whole_file(fs::path(RIDGE_SOURCE_DIR) / "labs" / rung.substr(0, slash) / "lab.toml");
  const size_t target =
      toml.find("\ntarget = ", toml.find("name = \"" + rung.substr(slash + 1) + "\""));
  if (target == std::string::npos) return 0;
  const std::string line = toml.substr(target + 1, toml.find('\n', target + 1) - target - 1);
  std::smatch gold;
  return std::regex_search(line, gold, std::regex(R"(nvidia-h100 = \{[^}]*gold = ([\d.]+))"))
             ? std::stod(gold[1])
             : 0;
}

}  // namespace

TEST_CASE("pages that quote an H100 quote the median of its runs, or one of them") {
  for (const auto& [rung, percent] : percent_by_rung("nvidia-h100")) {
    INFO(rung);
    CHECK(wrong_quote(won_paragraph(rung), percent) == "");
  }
}

TEST_CASE("each rung of lab 13 has a gold target for an H100 that its runs there reach") {
  int rungs = 0;
  for (const auto& [rung, percent] : percent_by_rung("nvidia-h100")) {
    if (!rung.starts_with("13-")) continue;
    INFO(rung);
    ++rungs;
    CHECK(gold_of(rung) > 0);
    CHECK(gold_of(rung) <= 0.98 * *std::min_element(percent.begin(), percent.end()));
    CHECK(won_paragraph(rung).find("On an H100") != std::string::npos);
  }
  CHECK(rungs == 5);
}

TEST_CASE("a quoted figure of an H100 that was not measured is reported") {
  CHECK(wrong_quote("**Won.** On an H100 71.0% of CUB.", {70, 72, 71}) == "");
  CHECK(wrong_quote("**Won.** On an H100 72.5% of CUB.", {70, 72, 71}) == "the median is 71.0%");
  CHECK(wrong_quote("**Won.** On two H100s 72.5% of NCCL.", {70, 72, 71}) == "the median is 71.0%");
  CHECK(wrong_quote("**Won.** Not measured yet.", {70}) == "");
}
