// The server's log: one JSON object per request and per entry of the event log, and no source code.
#include <fmt/format.h>

#include <set>
#include <sstream>

#include "leaderboard/store/log_file.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"
#include "tests/scratch_folder.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

using nlohmann::json;

TEST_CASE("the log has every request with its route, status and caller, and every event") {
  ClassFixture fixture;
  fixture.logged.clear();
  const int64_t id = fixture.graded(fixture.student, "PASS");
  std::vector<std::string> events;
  for (const json& line : fixture.logged)
    events.push_back(line.at("event"));
  CHECK(events == std::vector<std::string>{"submission.received", "request", "attempt.leased",
                                           "request", "grade.accepted", "request"});
  const json& request = fixture.logged[1];
  CHECK(request.at("route") == "/api/v1/classes/{class}/submissions");
  CHECK(request.at("status") == 201);
  CHECK(request.at("role") == "student");
  CHECK(request.at("person") == fixture.student_id);
  CHECK(request.at("peer") == "192.0.2.1");
  CHECK(request.at("ms").get<double>() >= 0);
  CHECK(fixture.logged[0].at("submission") == id);
  CHECK(fixture.logged[4].at("detail") == "attempt 1: PASS");
}

TEST_CASE("the log has no source code and no secret, and no worker that asks in vain") {
  ClassFixture fixture;
  fixture.logged.clear();
  fixture.ask("POST", "/api/v1/worker/lease", fixture.worker,
              {{"worker", "w"}, {"engines", {"virtual"}}});
  CHECK(fixture.logged.empty());
  fixture.submit(fixture.student, "int the_source_code;\n");
  fixture.ask("POST", "/api/v1/session", "", {{"token", fixture.student}});
  fixture.ask("GET", "/api/v1/no-such-place", "");
  REQUIRE(fixture.logged.size() == 4);
  for (const json& line : fixture.logged) {
    INFO(line.dump());
    CHECK(line.dump().find("the_source_code") == std::string::npos);
    CHECK(line.dump().find(fixture.student) == std::string::npos);
  }
  CHECK(fixture.logged.back().at("route") == "none");
}

TEST_CASE("a log file has one JSON object per line, and a full one makes place") {
  const tests::ScratchFolder folder;
  const std::filesystem::path file = folder.path / "class.log";
  {
    LogFile log(file, 2000);
    for (int i = 0; i < 30; ++i)
      log.write({{"at_ms", kTestNowMs + i}, {"event", "test"}, {"text", "a\nb \xff"}});
  }
  for (const auto& name : {file, std::filesystem::path(file.string() + ".1")}) {
    std::istringstream lines(text::read_file(name));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const json parsed = json::parse(line);
      CHECK(parsed.at("time").get<std::string>().starts_with("2027-01-15T08:00:00."));
      CHECK_FALSE(parsed.contains("at_ms"));
    }
    CHECK(count > 0);
    CHECK(std::filesystem::file_size(name) <= 2000);
  }
  CHECK_THROWS(LogFile(folder.path / "no" / "such" / "folder.log"));
}

}  // namespace ridge::leaderboard
