// The rates in TFLOP/s that chapter 05 quotes follow from the committed times.
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

// Median times in ms by rung name, of all runs of a lab on an H200.
std::map<std::string, double> median_times(const std::string& lab) {
  std::map<std::string, std::vector<double>> times;
  for (const auto& entry :
       fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "course/measured/nvidia-h200")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(lab + ".run")) continue;
    std::ifstream file(entry.path());
    const auto document = nlohmann::json::parse(file);
    for (const auto& result : document["results"])
      if (result["measured"].is_object())
        times[result["rung"].get<std::string>().substr(lab.size() + 1)].push_back(
            result["measured"]["time_ms"]);
  }
  std::map<std::string, double> medians;
  for (auto& [rung, values] : times) {
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    medians[rung] = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
  return medians;
}

}  // namespace

// | 6, `6-vectorized` | 0.34 | 74% | 31.6 | 47% |
TEST_CASE("the table of wavefronts and rates in chapter 05 quotes what was measured") {
  constexpr double kOperations = 2.0 * 4096 * 4096 * 4096, kPeak = 66.9;
  const auto times = median_times("05-gemm-float32");
  std::ifstream file(fs::path(RIDGE_SOURCE_DIR) / "course/chapters/05-gemm-float32.md");
  const std::regex row(R"(^\| [0-9]+, `([^`]+)` \| [0-9.]+[^|]*\|[^|]*\| ([0-9.]+) \| ([0-9]+)% \|$)");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    ++rows;
    INFO(line);
    REQUIRE(times.contains(match[1]));
    const double rate = kOperations / times.at(match[1]) / 1e9;
    CHECK(match[2].str() == fmt::format("{:.1f}", rate));
    CHECK(match[3].str() == fmt::format("{:.0f}", 100 * rate / kPeak));
  }
  CHECK(rows >= 7);
}
