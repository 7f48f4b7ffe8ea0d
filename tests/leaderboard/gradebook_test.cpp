// What counts, what the board shows, what a regrade changes, and what leaves the server.
#include <fmt/format.h>

#include "leaderboard/boards/board.h"
#include "leaderboard/classes/csv.h"
#include "leaderboard/store/schema.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {

using nlohmann::json;

namespace {

constexpr const char* kFirstRung = "02-coalescing/1-unit-stride";

double points(ClassFixture& fixture) {
  return fixture.ask("GET", "/api/v1/classes/gpu", fixture.student)
      .body["assignments"][0]["own"]["points"];
}

json board(ClassFixture& fixture, const std::string& token, const char* query = "") {
  return fixture
      .ask("GET", std::string("/api/v1/classes/gpu/assignments/coalescing/board") + query, token)
      .body;
}

std::string exported(ClassFixture& fixture, const char* name) {
  return fixture.ask("GET", std::string("/api/v1/classes/gpu/exports/") + name, fixture.instructor)
      .response.body;
}

// A tar archive's files by name, as tar(1) would list them.
std::map<std::string, std::string> files_in(const std::string& archive) {
  std::map<std::string, std::string> files;
  for (size_t at = 0; at + 512 <= archive.size() && archive[at] != '\0';) {
    const std::string name = archive.substr(at, 100).c_str();
    const size_t bytes = std::stoull(archive.substr(at + 124, 11), nullptr, 8);
    unsigned sum = 0;
    for (size_t i = 0; i < 512; ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(archive[at + i]);
    CHECK(std::stoull(archive.substr(at + 148, 6), nullptr, 8) == sum);
    files[name] = archive.substr(at + 512, bytes);
    at += 512 + (bytes + 511) / 512 * 512;
  }
  return files;
}

}  // namespace

TEST_CASE("points follow weights, verdicts, lateness, extensions and the class's policy") {
  ClassFixture fixture;
  fixture.graded(fixture.student, "WRONG");
  CHECK(points(fixture) == 0);
  fixture.graded(fixture.student, "SLOW", 50, kRung, "gpu", "NVIDIA H200");
  CHECK(points(fixture) == Approx(100.0 * 2 / 3 / 2));
  fixture.now_ms += 8 * kDayMs;  // a day late
  fixture.graded(fixture.student, "PASS");
  CHECK(points(fixture) == Approx(100.0 * 2 / 3 * 0.9));
  const std::string extension =
      fmt::format("/api/v1/classes/gpu/assignments/coalescing/extensions/{}", fixture.student_id);
  CHECK(fixture.ask("PUT", extension, fixture.instructor, {{"due", "2027-01-31 12:00"}}).status ==
        400);  // no reason
  CHECK(fixture
            .ask("PUT", extension, fixture.instructor,
                 {{"due", "2027-01-31 12:00"}, {"reason", "ill"}})
            .status == 200);
  CHECK(points(fixture) == Approx(100.0 * 2 / 3));
  fixture.graded(fixture.student, "WRONG", 50, kFirstRung);
  fixture.graded(fixture.student, "GOLD", 50, kFirstRung);
  CHECK(points(fixture) == Approx(100));
  fixture.graded(fixture.student, "WRONG", 50, kFirstRung);
  CHECK(points(fixture) == Approx(100));  // best
  fixture.database().run("UPDATE classes SET counts = 'last'");
  CHECK(points(fixture) == Approx(100.0 * 2 / 3));
  fixture.database().run("UPDATE classes SET counts = 'chosen'");
  const int64_t chosen = fixture.graded(fixture.student, "SLOW", 10, kFirstRung);
  CHECK(fixture
            .ask("POST", fmt::format("/api/v1/submissions/{}/choice", chosen), fixture.student,
                 json::object())
            .status == 200);
  CHECK(points(fixture) == Approx(100.0 * 2 / 3 + 100.0 / 3 / 2));
}

TEST_CASE("an invalidated submission counts nowhere, keeps its reason, and can be restored") {
  ClassFixture fixture;
  const int64_t id = fixture.graded(fixture.student, "PASS");
  const std::string path = fmt::format("/api/v1/submissions/{}/validity", id);
  CHECK(fixture.ask("POST", path, fixture.instructor, {{"valid", false}}).status == 400);
  CHECK(fixture.ask("POST", path, fixture.instructor, {{"valid", false}, {"reason", "copied"}})
            .status == 200);
  CHECK(points(fixture) == 0);
  CHECK(board(fixture, fixture.student).at("boards").empty());
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body.at("invalid_reason") == "copied");
  CHECK(fixture.ask("POST", path, fixture.instructor, {{"valid", true}}).status == 200);
  CHECK(points(fixture) > 0);
}

TEST_CASE(
    "figures of different engines and devices never share a table, or a column of an export") {
  ClassFixture fixture;
  fixture.graded(fixture.student, "PASS", 40);
  fixture.graded(fixture.student, "PASS", 91, kRung, "gpu", "NVIDIA H200");
  fixture.graded(fixture.other_student, "PASS", 95, kRung, "gpu", "NVIDIA A100");
  const json boards = board(fixture, fixture.student).at("boards");
  REQUIRE(boards.size() == 3);
  for (const json& one : boards) {
    CHECK(one.at("rows").size() == 1);
    CHECK(one.at("figure").at("kind") == (one.at("engine") == "gpu" ? "measured" : "counted"));
  }
  const Csv csv = read_csv(exported(fixture, "plain.csv"));
  const auto column = [&](const char* name) {
    const auto& cells = csv.records.at(0).cells;
    return static_cast<size_t>(std::find(cells.begin(), cells.end(), name) - cells.begin());
  };
  for (size_t i = 1; i < csv.records.size(); ++i) {
    const auto& cells = csv.records[i].cells;
    CHECK((cells.at(column("measured_percent")).empty() || cells.at(column("engine")) == "gpu"));
    CHECK((cells.at(column("counted_percent")).empty() || cells.at(column("engine")) == "virtual"));
  }
}

TEST_CASE("the board shows how many times as fast as a second baseline, where the rung has one") {
  ClassFixture fixture;
  fixture.submit(fixture.student, "__global__ void f() {}\n");
  json answer = ClassFixture::result_of(fixture.lease(), "PASS", 91, "gpu", "NVIDIA H200");
  answer["result"]["measured"]["second"] = {{"baseline", "unfused kernels"}, {"times", 2.9}};
  REQUIRE(fixture.send_result(answer).status == 200);
  course::Course course = the_course();
  const auto cell = [&] {
    Board board(1, course, {});
    return json::parse(board.text(fixture.database(), std::nullopt)).at("boards")[0].at("rows")[0].at("cells")[1];
  };
  CHECK(cell().at("figure") == 91);
  CHECK_FALSE(cell().contains("times"));
  for (course::Lab& lab : course.labs)
    for (course::Rung& rung : lab.rungs)
      if (rung.path() == kRung) rung.second = {"unfused_dropout", 2.8};
  CHECK(cell().at("times") == 2.9);
}

TEST_CASE("the board ranks by rungs passed, gold, figures, and then the earlier submission") {
  ClassFixture fixture;
  std::vector<std::string> tokens;
  for (int i = 0; i < 5; ++i)
    tokens.push_back(fixture.token_of(fixture.add_student(fmt::format("s{}", i), "")));
  fixture.graded(tokens[0], "PASS", 60);
  ++fixture.now_ms;
  fixture.graded(tokens[1], "PASS", 60);
  fixture.graded(tokens[2], "PASS", 70);
  fixture.graded(tokens[3], "GOLD", 10);
  fixture.graded(tokens[4], "PASS", 1);
  fixture.graded(tokens[4], "PASS", 1, kFirstRung);
  std::string order;
  const json shown = board(fixture, fixture.student);
  for (const json& row : shown.at("boards")[0].at("rows"))
    order += row.at("name").get<std::string>().substr(1, 1);
  CHECK(order == "43201");
}

TEST_CASE("others see nicknames or nothing of each other, and instructors see names") {
  ClassFixture fixture;
  fixture.graded(fixture.student, "PASS");
  const std::string shown = board(fixture, fixture.board).dump();
  CHECK(shown.find("Ada-nick") != shown.npos);
  CHECK(shown.find("\"Ada\"") == shown.npos);
  CHECK(shown.find("ada@example.org") == shown.npos);
  CHECK(fixture
            .ask("PUT", "/api/v1/classes/gpu/me", fixture.student,
                 {{"nickname", "Ada"}, {"anonymous", true}})
            .status == 200);
  CHECK(board(fixture, fixture.other_student).dump().find("Ada") == std::string::npos);
  CHECK(board(fixture, fixture.student, "?names=1").dump().find("Ada") == std::string::npos);
  CHECK(board(fixture, fixture.instructor, "?names=1").dump().find("\"Ada\"") != std::string::npos);
}

TEST_CASE("a frozen board stands still for all but instructors until it is thawed") {
  ClassFixture fixture;
  fixture.graded(fixture.student, "PASS");
  fixture.now_ms += 1000;
  CHECK(fixture
            .ask("PUT", "/api/v1/classes/gpu/assignments/coalescing/freeze", fixture.instructor,
                 {{"frozen", true}})
            .status == 200);
  fixture.now_ms += 1000;
  fixture.graded(fixture.other_student, "GOLD");
  CHECK(board(fixture, fixture.student)["boards"][0]["rows"].size() == 1);
  CHECK(board(fixture, fixture.instructor, "?names=1")["boards"][0]["rows"].size() == 2);
  CHECK(fixture
            .ask("PUT", "/api/v1/classes/gpu/assignments/coalescing/freeze", fixture.instructor,
                 {{"frozen", false}})
            .status == 200);
  CHECK(board(fixture, fixture.student)["boards"][0]["rows"].size() == 2);
}

TEST_CASE("a regrade is a dry run with a table first, and changes grades only when it is applied") {
  ClassFixture fixture;
  const int64_t one = fixture.graded(fixture.student, "PASS"),
                two = fixture.graded(fixture.other_student, "PASS");
  const std::string seed =
      fixture.database().run("SELECT seed FROM grades WHERE submission_id = ?", {one})[0].text(0);
  const Asked started = fixture.ask("POST", "/api/v1/classes/gpu/regrades", fixture.instructor,
                                    {{"assignment", "coalescing"}});
  REQUIRE(started.status == 201);
  CHECK(started.body.at("submissions") == 2);
  const std::string path =
      fmt::format("/api/v1/classes/gpu/regrades/{}", started.body.at("regrade").get<int64_t>());
  CHECK(fixture.ask("POST", path + "/application", fixture.instructor, json::object()).status ==
        409);  // still runs
  const json job = fixture.lease();
  CHECK(job.at("attempt") == 2);
  CHECK(job.at("seed") == seed);
  CHECK(fixture.send_result(ClassFixture::result_of(job, "RACE")).status == 200);
  CHECK(fixture.send_result(ClassFixture::result_of(fixture.lease(), "PASS")).status == 200);
  const json table = fixture.ask("GET", path, fixture.instructor).body;
  CHECK(table.at("state") == "ready");
  CHECK(table.at("changed") == 1);
  CHECK(table["rows"][0]["submission"] == one);
  CHECK(table["rows"][0]["before"]["verdict"] == "PASS");
  CHECK(table["rows"][0]["after"]["verdict"] == "RACE");
  CHECK(points(fixture) > 0);
  CHECK(fixture.ask("POST", path + "/application", fixture.instructor, json::object()).status ==
        200);
  CHECK(points(fixture) == 0);
  CHECK(fixture.ask("POST", path + "/application", fixture.instructor, json::object()).status ==
        409);
  CHECK(fixture.count("SELECT count(*) FROM grades WHERE in_force = 1 AND submission_id IN (?, ?)",
                      {one, two}) == 2);
  CHECK(fixture.count("SELECT count(*) FROM grades") == 4);
}

TEST_CASE("Canvas and Moodle read back the points that the class has") {
  ClassFixture fixture;
  fixture.database().run("UPDATE people SET name = ?, student_number = 'S1' WHERE id = ?",
                         {std::string("=cmd|'/c calc'!A1, Ada"), fixture.student_id});
  fixture.graded(fixture.student, "PASS");
  const Csv canvas = read_csv(exported(fixture, "canvas.csv"));
  REQUIRE(canvas.errors.empty());
  CHECK(canvas.records[0].cells == std::vector<std::string>{"Student", "ID", "SIS User ID",
                                                            "SIS Login ID", "Section",
                                                            "Coalescing"});
  CHECK(canvas.records[1].cells ==
        std::vector<std::string>{"    Points Possible", "", "", "", "", "100.00"});
  CHECK(canvas.records[2].cells == std::vector<std::string>{"'=cmd|'/c calc'!A1, Ada", "", "S1",
                                                            "ada@example.org", "", "66.67"});
  const Csv moodle = read_csv(exported(fixture, "moodle.csv"));
  CHECK(moodle.records[0].cells == std::vector<std::string>{"ID number", "Email address",
                                                            "Full name",
                                                            "Assignment: Coalescing (Real)"});
  CHECK(moodle.records[1].cells[0] == "S1");
  CHECK(moodle.records[1].cells[3] == "66.67");
  CHECK(moodle.records.size() == 3);
}

TEST_CASE("Gradescope's results and the archive hold every student's grades and files") {
  ClassFixture fixture;
  const int64_t id = fixture.graded(fixture.student, "PASS");
  const json all = json::parse(exported(fixture, "gradescope.json"));
  const json& own = all.at("students").at(std::to_string(fixture.student_id));
  CHECK(own.at("score").get<double>() == Approx(200.0 / 3));
  double most = 0, sum = 0;
  for (const json& test : own.at("tests")) {
    most += test.at("max_score").get<double>();
    sum += test.at("score").get<double>();
  }
  CHECK(most == Approx(100));
  CHECK(sum == Approx(own.at("score").get<double>()));
  const auto files = files_in(exported(fixture, "archive.tar"));
  const std::string folder = fmt::format("gpu/student-{}/", fixture.student_id);
  REQUIRE(files.contains(folder + fmt::format("{}/kernel.cu", id)));
  CHECK(files.at(folder + fmt::format("{}/kernel.cu", id)) == "__global__ void f() {}\n");
  CHECK(json::parse(files.at(folder + fmt::format("{}/grade.json", id))).at("verdict") == "PASS");
  CHECK(json::parse(files.at(folder + "results.json")) == own);
  CHECK(files.at("gpu/canvas.csv") == exported(fixture, "canvas.csv"));
}

TEST_CASE(
    "a student's data can be exported whole, and deleted so that no name, address or source stays") {
  ClassFixture fixture;
  const std::string secret_text = "// only mine 4711\n";
  const int64_t id = fixture.submit(fixture.student, secret_text);
  const json job = fixture.lease();
  json answer = ClassFixture::result_of(job, "PASS");
  answer["result"]["detail"] = "line 1: only mine 4711";
  CHECK(fixture.send_result(answer).status == 200);
  const std::string path = fmt::format("/api/v1/classes/gpu/students/{}", fixture.student_id);
  const json data = fixture.ask("GET", path + "/data", fixture.student).body;
  CHECK(data["person"][0]["email"] == "ada@example.org");
  CHECK(data["submissions"][0]["files"].get<std::string>().find("4711") != std::string::npos);
  CHECK(data["grades"].size() == 1);
  CHECK(fixture.ask("DELETE", path, fixture.instructor, json::object()).status == 200);
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu", fixture.student).status == 401);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.instructor).status ==
        403);
  CHECK(board(fixture, fixture.instructor, "?names=1").at("boards").empty());
  for (const std::string& table : table_names())
    for (const Row& row : fixture.database().run("SELECT * FROM " + table)) {
      std::string all;
      for (size_t i = 0; i < 6; ++i)
        try {
          all += row.text(i) + " ";
        } catch (const std::out_of_range&) {
        }
      CHECK(all.find("4711") == all.npos);
      CHECK(all.find("ada@example.org") == all.npos);
    }
}

TEST_CASE("who is stuck is whoever tried twice without a pass") {
  ClassFixture fixture;
  fixture.graded(fixture.student, "WRONG");
  CHECK(
      fixture.ask("GET", "/api/v1/classes/gpu/stuck", fixture.instructor).body.at("stuck").empty());
  fixture.graded(fixture.student, "RACE");
  const json stuck =
      fixture.ask("GET", "/api/v1/classes/gpu/stuck", fixture.instructor).body.at("stuck");
  REQUIRE(stuck.size() == 1);
  CHECK(stuck[0].at("verdicts") == json({"WRONG", "RACE"}));
  fixture.graded(fixture.student, "PASS");
  CHECK(
      fixture.ask("GET", "/api/v1/classes/gpu/stuck", fixture.instructor).body.at("stuck").empty());
}

}  // namespace ridge::leaderboard
