// The search over whole sweeps that were measured on real GPUs: course/measured/*/*.tune.json, as
// `ridge tune RUNG --exhaustive --json` prints them.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/tune/tuning.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("on every sweep that was measured on a GPU sixteen tries come within 2% of the best") {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(RIDGE_SOURCE_DIR) / "course/measured")) {
    if (!entry.path().filename().string().ends_with(".tune.json")) continue;
    std::ifstream file(entry.path());
    const auto sweep = nlohmann::json::parse(file);
    INFO(entry.path().filename().string());
    CHECK_FALSE(sweep.at("interrupted").get<bool>());
    std::vector<tune::Candidate> candidates;
    std::vector<size_t> right;
    std::vector<double> percents;
    double found = 0;
    for (const auto& tried : sweep.at("tried")) {
      if (!tried.at("failure").get<std::string>().empty()) continue;
      tune::Candidate candidate;
      candidate.values = tried.at("values").get<tune::Values>();
      candidate.threads = tried.at("threads");
      candidate.resources.registers = tried.at("registers");
      candidate.occupancy.warps_per_sm = tried.at("warps_per_sm");
      right.push_back(candidates.size());
      candidates.push_back(std::move(candidate));
      percents.push_back(tried.at("percent"));
      if (tried.at("by_search").get<bool>()) found = std::max(found, percents.back());
    }
    REQUIRE(percents.size() > static_cast<size_t>(tune::kMostTries));  // else anything finds the best
    const tune::Proof proof = tune::prove(candidates, right, percents, found, tune::kMostTries);
    CHECK(proof.gap_percent <= 2);
    INFO(proof.within_2_percent << " of " << proof.starts << " starts");
    CHECK(static_cast<double>(proof.within_2_percent) >= 0.95 * static_cast<double>(proof.starts));
  }
}
