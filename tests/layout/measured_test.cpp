// The figures that docs/ quotes are those of the measured files.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

nlohmann::json measured(const std::string& name) {
  std::ifstream file(std::string(RIDGE_SOURCE_DIR "/leaderboard/measured/") + name);
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

std::string whole(const std::string& file) {
  std::string text;
  for (const std::string& line : ridge::layout::lines_of(file))
    text += line + " ";
  return text;
}

}  // namespace

TEST_CASE("docs/class-scale.md quotes the measured load and faults, and the bars are met") {
  const std::string page = whole("docs/class-scale.md");
  const auto sqlite = measured("load_university.json");
  const auto postgresql = measured("load_university_postgresql.json");
  const auto quotes = [&](const std::string& text) {
    INFO("docs/class-scale.md does not say \"" << text << "\"");
    CHECK(page.find(text) != std::string::npos);
  };
  const auto row = [&](const std::string& name, const nlohmann::json::json_pointer& figure,
                       const std::string& unit) {
    quotes(fmt::format("{} | {}{} | {}{} |", name, sqlite.at(figure).dump(), unit,
                       postgresql.at(figure).dump(), unit));
  };
  using Pointer = nlohmann::json::json_pointer;
  row("answers, median", Pointer("/median_ms"), " ms");
  row("answers, p99 (bar 150)", Pointer("/p99_ms"), " ms");
  row("longest (bar 1000)", Pointer("/board_update_ms/most"), " ms");
  row("memory of the server (bar 500)", Pointer("/server_memory_mb"), " MB");
  row("cores used by the server", Pointer("/cores_used/server"), "");
  quotes(fmt::format("in the server | {} |", postgresql["cores_used"]["database"].dump()));
  for (const auto& load : {sqlite, postgresql}) {
    CHECK(load["p99_ms"] < 150);
    CHECK(load["board_update_ms"]["most"] < 1000);
    CHECK(load["server_memory_mb"] < 500);
  }

  const auto faults = measured("scale_faults.json");
  int kills = 0;
  for (const auto& [kind, count] : faults["kills"].items())
    kills += count.get<int>();
  quotes(fmt::format("{} kills", kills));
  quotes(fmt::format("Of {} acknowledged submissions", faults["acknowledged"].dump()));
  quotes(fmt::format("{} attempts were lost", faults["attempts_lost"].dump()));
  CHECK(kills >= 200);
  CHECK(faults["lost"] == 0);
}
