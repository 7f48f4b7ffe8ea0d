// Compares figures that a page quotes in running text, "104.7% (`05/11`)" and "967 GFLOP/s (`05/1`)", with the
// medians of the committed measurements.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

struct Runs {
  std::vector<double> percent, gigaflops;
};

std::string page_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// By the short name of a rung: "05/11".
std::map<std::string, Runs> measured_by_rung() {
  std::map<std::string, Runs> runs;
  for (const auto& entry :
       fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "course/measured/nvidia-h200")) {
    if (entry.path().filename().string().find(".run") == std::string::npos) continue;
    const auto document = nlohmann::json::parse(page_text(entry.path()));
    for (const auto& result : document["results"]) {
      if (!result["measured"].is_object()) continue;
      const std::string rung = result["rung"];
      const size_t slash = rung.find('/');
      Runs& of =
          runs[rung.substr(0, 2) + "/" + rung.substr(slash + 1, rung.find('-', slash) - slash - 1)];
      of.percent.push_back(result["measured"]["percent"]);
      of.gigaflops.push_back(result["measured"]["gigaflops"]);
    }
  }
  return runs;
}

// What is wrong with the quotes of a text; `count` grows by the number of quotes.
std::vector<std::string> wrong_quotes(std::string text, const std::map<std::string, Runs>& runs,
                                      int& count) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  static const std::regex quote(R"(([0-9]+(?:\.[0-9])?)(%| GFLOP/s) \(`([0-9]{2}/[0-9]+)`\))");
  std::vector<std::string> wrong;
  for (std::sregex_iterator at(text.begin(), text.end(), quote), end; at != end; ++at, ++count) {
    const auto of = runs.find((*at)[3]);
    const bool is_percent = (*at)[2] == "%";
    const std::string there = of == runs.end() ? "not measured"
                              : is_percent ? fmt::format("{:.1f}", median_of(of->second.percent))
                                           : fmt::format("{:.0f}", median_of(of->second.gigaflops));
    if ((*at)[1] != there) wrong.push_back(at->str() + ": " + there);
  }
  return wrong;
}

}  // namespace

TEST_CASE("figures that the course quotes with their rung are the measured medians") {
  const auto runs = measured_by_rung();
  int count = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "course")) {
    if (entry.path().extension() != ".md") continue;
    INFO(entry.path().string());
    CHECK(wrong_quotes(page_text(entry.path()), runs, count) == std::vector<std::string>{});
  }
  CHECK(count >= 10);
}

TEST_CASE("a quoted figure that is not the median is reported with the median") {
  const std::map<std::string, Runs> runs = {{"05/1", {{1.9, 2.0, 1.8}, {966.6, 967.4, 967.0}}}};
  int count = 0;
  CHECK(wrong_quotes("It has 1.9% (`05/1`) and 967\nGFLOP/s (`05/1`).", runs, count).empty());
  CHECK(count == 2);
  CHECK(wrong_quotes("2.0% (`05/1`)", runs, count) ==
        std::vector<std::string>{"2.0% (`05/1`): 1.9"});
  CHECK(wrong_quotes("966 GFLOP/s (`05/1`)", runs, count) ==
        std::vector<std::string>{"966 GFLOP/s (`05/1`): 967"});
  CHECK(wrong_quotes("2.0% (`05/2`)", runs, count) ==
        std::vector<std::string>{"2.0% (`05/2`): not measured"});
}
