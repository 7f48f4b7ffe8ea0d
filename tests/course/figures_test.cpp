// What the course says was measured, against the committed measurements.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Median percentage of the baseline by rung ("01-kernel-basics/4-float4"), over all committed runs on an
// H200.
std::map<std::string, double> measured_percent() {
  std::map<std::string, std::vector<double>> runs;
  for (const auto& entry :
       fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "course/measured/nvidia-h200")) {
    if (entry.path().filename().string().find(".run") == std::string::npos) continue;
    const auto document = nlohmann::json::parse(text_of(entry.path()));
    for (const auto& result : document["results"])
      runs[result["rung"]].push_back(result["measured"]["percent"]);
  }
  std::map<std::string, double> medians;
  for (auto& [rung, values] : runs) {
    std::sort(values.begin(), values.end());
    medians[rung] = values[values.size() / 2];
  }
  return medians;
}

}  // namespace

TEST_CASE("every solution of a measured lab and its chapter quote the percentage that was measured") {
  auto medians = measured_percent();
  int measured = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "solutions")) {
    if (entry.path().extension() != ".cu") continue;
    std::string lab = entry.path().parent_path().filename().string(), rung = entry.path().stem().string();
    INFO(lab << "/" << rung);
    // A lab is measured as a whole; until then nothing may say that it was.
    const auto first = medians.lower_bound(lab + "/");
    if (first == medians.end() || !first->first.starts_with(lab + "/")) {
      CHECK(text_of(entry.path()).find("Measured on") == std::string::npos);
      continue;
    }
    ++measured;
    REQUIRE(medians.contains(lab + "/" + rung));
    std::string percent = fmt::format("{:.1f}%", medians[lab + "/" + rung]);
    CHECK(text_of(entry.path()).find("Measured on an H200: " + percent + " of the device copy") !=
          std::string::npos);
    std::string chapter = text_of(fs::path(RIDGE_SOURCE_DIR) / "course/chapters" / (lab + ".md"));
    size_t row = chapter.find("| `" + rung + "` |");
    REQUIRE(row != std::string::npos);
    CHECK(chapter.substr(row, chapter.find('\n', row) - row).find(" " + percent + " |") != std::string::npos);
  }
  CHECK(measured >= 10);  // labs 01 and 02
}
