// The order of measuring over whole sweeps that were measured on real GPUs: course/measured/*/*.tune.json, as
// `ridge tune RUNG --exhaustive --json` prints them.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/tune/tuning.h"
#include "tests/catch.h"
#include "text/whole_file.h"

using namespace ridge;

TEST_CASE("on every sweep that was measured on a GPU the default tries come within 2% of the best") {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(RIDGE_SOURCE_DIR) / "course/measured")) {
    if (!entry.path().filename().string().ends_with(".tune.json")) continue;
    const auto sweep = nlohmann::json::parse(text::read_file(entry.path()));
    INFO(entry.path().filename().string());
    CHECK_FALSE(sweep.at("interrupted").get<bool>());
    std::map<tune::Values, double> percents;  // in the order of the grid
    for (const auto& tried : sweep.at("tried"))
      if (tried.at("failure").get<std::string>().empty())
        percents[tried.at("values").get<tune::Values>()] = tried.at("percent");
    REQUIRE(percents.size() > static_cast<size_t>(tune::kMostTries));  // else anything finds the best
    std::vector<double> grid;
    for (const auto& [values, percent] : percents)
      grid.push_back(percent);
    const double best = *std::max_element(grid.begin(), grid.end());
    for (size_t first = 0; first < grid.size(); ++first) {
      const auto order = tune::grid_order(grid.size(), first, tune::kMostTries);
      double found = 0;
      for (size_t i = 0; i < tune::kMostTries; ++i)
        found = std::max(found, grid[order[i]]);
      INFO("from setting " << first);
      CHECK(found >= 0.98 * best);
    }
  }
}
