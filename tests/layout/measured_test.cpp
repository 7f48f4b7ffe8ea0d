// The results in leaderboard/measured keep the bars of the class server, and docs/class-scale.md
// quotes them as they are.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/layout/tree.h"

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

json parsed(const fs::path& file) {
  std::ifstream stream(fs::path(RIDGE_SOURCE_DIR) / file);
  REQUIRE(stream);
  return json::parse(stream);
}

json result(const std::string& name) {
  return parsed("leaderboard/measured/" + name + ".json");
}

// On one line.
const std::string& page() {
  static const std::string text = [] {
    std::string all;
    for (const std::string& line : ridge::layout::lines_of("docs/class-scale.md"))
      all += line + " ";
    return all;
  }();
  return text;
}

// "1.3", "43".
std::string shown(const json& number) {
  return number.dump();
}

void check_quoted(const std::string& text) {
  INFO("docs/class-scale.md does not say \"" << text << "\"");
  CHECK(page().find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("the measured loads are within the bars of a university") {
  for (const char* name : {"load_university", "load_university_postgresql"}) {
    INFO(name);
    const json load = result(name);
    CHECK(load.at("what").get<std::string>().starts_with(
        "1000 students, 20000 submissions in the history, 50 submissions per minute, 1000 open "
        "event streams, 200 readers"));
    CHECK(load.at("command").get<std::string>().find(name) != std::string::npos);
    CHECK(load.at("machine").get<std::string>().starts_with("2 cores"));
    CHECK(load.at("seconds") >= 150);
    CHECK(load.at("refused") == 0);
    CHECK(load.at("p99_ms") < 150);
    CHECK(load.at("board_update_ms").at("most") < 1000);
    CHECK(load.at("server_memory_mb") < 500);
    // 50 per minute for 150 s; the last readers end a little later.
    CHECK(load.at("submissions") >= 50 * 150 / 60);
  }
}

TEST_CASE("the measured kills lost nothing, and no attempt outlived its lease") {
  const json faults = result("scale_faults");
  int64_t kills = 0;
  for (const auto& [kind, count] : faults.at("kills").items()) {
    INFO(kind);
    CHECK(count >= 20);
    kills += count.get<int64_t>();
  }
  CHECK(kills == 200);
  CHECK(faults.at("kills").size() == 7);
  CHECK(faults.at("lost") == 0);
  CHECK(faults.at("longest_time_that_an_attempt_outlived_its_lease_ms") == 0);
  check_quoted(
      fmt::format("{} kills of servers, workers, connections and processes of PostgreSQL, "
                  "slurmctld, slurmd and jobs in {} s",
                  kills, shown(faults["seconds"])));
  check_quoted(
      fmt::format("Of {} acknowledged submissions none was lost; {} attempts were lost and "
                  "made again",
                  shown(faults["acknowledged"]), shown(faults["attempts_lost"])));
}

TEST_CASE("the page on ten thousand students quotes the measured loads") {
  const json sqlite = result("load_university"), postgresql = result("load_university_postgresql");
  const auto row = [&](const char* what, const char* path, const char* unit) {
    const json::json_pointer at(path);
    check_quoted(fmt::format("| {} | {}{} | {}{} |", what, shown(sqlite.at(at)), unit,
                             shown(postgresql.at(at)), unit));
  };
  row("answers, median", "/median_ms", " ms");
  row("answers, p99 (bar 150)", "/p99_ms", " ms");
  row("answer to a submission, median", "/by_request/submit/median_ms", " ms");
  row("from a grade to the new board, median", "/board_update_ms/median", " ms");
  row("from a grade to the new board, longest (bar 1000)", "/board_update_ms/most", " ms");
  row("memory of the server (bar 500)", "/server_memory_mb", " MB");
  row("cores used by the server", "/cores_used/server", "");
  row("cores used by other work of the machine", "/cores_used/other_work", "");
  check_quoted(fmt::format("| cores used by the database | in the server | {} |",
                           shown(postgresql.at("cores_used").at("database"))));
  // The arithmetic for ten times the load.
  const double cores = postgresql.at("cores_used").at("server");
  check_quoted(fmt::format("10 x {} = {:.2f} of a core", cores, 10 * cores));
  const double submit_ms = postgresql.at("by_request").at("submit").at("median_ms");
  check_quoted(fmt::format("1 / {} ms = {} per second", submit_ms, std::floor(1000 / submit_ms)));
}

// 500 submissions per minute, as the page assumes at the deadline of ten universities.
TEST_CASE("the page on ten thousand students computes with the measured seconds per rung") {
  double seconds = 0;
  int rungs = 0;
  for (const auto& file :
       fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "course/measured/nvidia-h200")) {
    if (!file.path().string().ends_with(".stages.json")) continue;
    const json stages = parsed(file.path());
    for (const json& one : stages.at("results")) {
      seconds += one.at("seconds").get<double>();
      ++rungs;
    }
  }
  REQUIRE(rungs > 0);
  const double mean = std::round(10 * seconds / rungs) / 10;
  check_quoted(fmt::format("{} s per rung on an H200 (mean over the {} rungs of", mean, rungs));
  check_quoted(fmt::format("need {} GPUs", std::ceil(500 * mean / 60)));
  check_quoted(fmt::format("a GPU grades {} per minute", std::floor(60 / mean)));
  // An hour of 20 GPUs, in hundreds.
  check_quoted(fmt::format("an hour at 20 GPUs grades {},{}00",
                           static_cast<int>(20 * 3600 / mean) / 1000,
                           static_cast<int>(20 * 3600 / mean) / 100 % 10));
}
