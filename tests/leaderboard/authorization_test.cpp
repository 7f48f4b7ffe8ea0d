// Every route, asked by everybody.
#include <fmt/format.h>

#include <set>

#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {
namespace {

// In this order: nobody, the student whom it is about, another student of the class, the instructor
// of another class, the instructor, a worker, a board link. y: may; 1: sign in first (401); 3:
// refused (403).
struct Expected {
  const char* method;
  const char* pattern;
  const char* expected;
};

constexpr Expected kRows[] = {
    {"GET", "/healthz", "yyyyyyy"},
    {"GET", "/metrics", "yyyyyyy"},
    {"GET", "/api/v1/openapi.json", "yyyyyyy"},
    {"GET", "/api/v1/session", "yyyyyyy"},
    {"DELETE", "/api/v1/session", "yyyyyyy"},
    {"POST", "/api/v1/session", "yyyyyyy"},
    {"POST", "/api/v1/join", "yyyyyyy"},
    {"GET", "/api/v1/openid/start", "yyyyyyy"},
    {"GET", "/api/v1/openid/callback", "yyyyyyy"},
    {"POST", "/api/v1/sign-in-codes", "1yyyy33"},
    {"GET", "/api/v1/classes/{class}", "1yy3y3y"},
    {"GET", "/api/v1/classes/{class}/assignments/{assignment}/board", "1yy3y3y"},
    {"GET", "/api/v1/classes/{class}/events", "1yy3y3y"},
    {"PUT", "/api/v1/classes/{class}/me", "1yy3333"},
    {"POST", "/api/v1/classes/{class}/submissions", "1yy3333"},
    {"POST", "/api/v1/classes/{class}/quizzes", "1yy3333"},
    {"GET", "/api/v1/classes/{class}/submissions", "1333y33"},
    {"GET", "/api/v1/submissions/{submission}", "1y33y33"},
    {"GET", "/api/v1/submissions/{submission}/diff", "1y33y33"},
    {"GET", "/api/v1/submissions/{submission}/trace", "1y33y33"},
    {"POST", "/api/v1/submissions/{submission}/choice", "1y33y33"},
    {"POST", "/api/v1/submissions/{submission}/validity", "1333y33"},
    {"GET", "/api/v1/classes/{class}/students", "1333y33"},
    {"GET", "/api/v1/classes/{class}/students/{student}/history", "1y33y33"},
    {"GET", "/api/v1/classes/{class}/students/{student}/data", "1y33y33"},
    {"POST", "/api/v1/classes/{class}/students/{student}/invitation", "1333y33"},
    {"POST", "/api/v1/classes/{class}/roster", "1333y33"},
    {"POST", "/api/v1/classes/{class}/join-codes", "1333y33"},
    {"POST", "/api/v1/classes/{class}/board-links", "1333y33"},
    {"POST", "/api/v1/classes/{class}/assignments", "1333y33"},
    {"PUT", "/api/v1/classes/{class}/assignments/{assignment}", "1333y33"},
    {"PUT", "/api/v1/classes/{class}/assignments/{assignment}/freeze", "1333y33"},
    {"PUT", "/api/v1/classes/{class}/assignments/{assignment}/extensions/{student}", "1333y33"},
    {"GET", "/api/v1/classes/{class}/assignments/{assignment}/similarity", "1333y33"},
    {"GET", "/api/v1/classes/{class}/stuck", "1333y33"},
    {"GET", "/api/v1/classes/{class}/log", "1333y33"},
    {"POST", "/api/v1/classes/{class}/regrades", "1333y33"},
    {"GET", "/api/v1/classes/{class}/regrades", "1333y33"},
    {"GET", "/api/v1/classes/{class}/regrades/{regrade}", "1333y33"},
    {"POST", "/api/v1/classes/{class}/regrades/{regrade}/application", "1333y33"},
    {"GET", "/api/v1/classes/{class}/exports/{file}", "1333y33"},
    {"GET", "/api/v1/classes/{class}/workers", "1333y33"},
    {"POST", "/api/v1/classes/{class}/workers", "1333y33"},
    {"PUT", "/api/v1/classes/{class}/workers/{worker}", "1333y33"},
    {"POST", "/api/v1/worker/lease", "13333y3"},
    {"POST", "/api/v1/worker/progress", "13333y3"},
    {"POST", "/api/v1/worker/result", "13333y3"},
    {"POST", "/api/v1/worker/trace", "13333y3"},
    {"POST", "/api/v1/worker/return", "13333y3"},
    {"GET", "/api/v1/worker/programs.tar", "13333y3"},
    // Whoever they are about is gone, or its tokens are, afterwards: last.
    {"DELETE", "/api/v1/classes/{class}/board-links", "1333y33"},
    {"DELETE", "/api/v1/classes/{class}/students/{student}/tokens", "1y33y33"},
    {"DELETE", "/api/v1/classes/{class}/students/{student}", "1333y33"},
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  if (const size_t at = text.find(what); at != text.npos) text.replace(at, what.size(), by);
  return text;
}

std::string path_of(const ClassFixture& fixture, const char* pattern, int64_t submission) {
  std::string path = replaced(pattern, "{class}", "gpu");
  path = replaced(path, "{assignment}", "coalescing");
  path = replaced(path, "{student}", std::to_string(fixture.student_id));
  path = replaced(path, "{submission}", std::to_string(submission));
  path = replaced(path, "{regrade}", "1");
  path = replaced(path, "{worker}", "1");
  return replaced(path, "{file}", "plain.csv");
}

}  // namespace

TEST_CASE("every route lets in exactly those whom the table names") {
  std::set<std::pair<std::string, std::string>> listed;
  for (const Expected& row : kRows) {
    listed.insert({row.method, row.pattern});
    for (size_t i = 0; i < 7; ++i) {
      ClassFixture fixture;
      const int64_t submission = fixture.graded(fixture.student, "PASS");
      const std::string tokens[] = {"",
                                    fixture.student,
                                    fixture.other_student,
                                    fixture.other_instructor,
                                    fixture.instructor,
                                    fixture.worker,
                                    fixture.board};
      const std::string method = row.method;
      const Asked asked =
          fixture.ask(method, path_of(fixture, row.pattern, submission), tokens[i],
                      method == "GET" ? nlohmann::json() : nlohmann::json::object());
      const char expected = row.expected[i];
      INFO(row.method << " " << row.pattern << ", caller " << i << ": " << asked.status << " "
                      << asked.response.body);
      const std::string what = asked.body.is_object() && asked.body.contains("error")
                                   ? asked.body["error"].value("what", "")
                                   : "";
      const bool refused = what == "you may not do this",
                 sent_to_sign_in = what == "this needs a sign-in";
      CHECK(refused == (expected == '3'));
      CHECK(sent_to_sign_in == (expected == '1'));
      if (refused) CHECK(asked.status == 403);
      if (sent_to_sign_in) CHECK(asked.status == 401);
      if (expected == 'y') CHECK(asked.status < 500);
    }
  }
  for (const Route& route : routes()) {
    INFO(route.method << " " << route.pattern << " is not in the table");
    CHECK(listed.contains({route.method, route.pattern}));
  }
  CHECK(listed.size() == routes().size());
}

TEST_CASE("the API's description has every route with its access, and no other") {
  ClassFixture fixture;
  const nlohmann::json document = fixture.ask("GET", "/api/v1/openapi.json", "").body;
  size_t described = 0;
  for (const auto& [path, methods] : document.at("paths").items())
    described += methods.size();
  CHECK(described == routes().size());
  for (const Route& route : routes()) {
    INFO(route.method << " " << route.pattern);
    std::string method = route.method;
    for (char& letter : method)
      letter = static_cast<char>(std::tolower(letter));
    REQUIRE(document.at("paths").contains(route.pattern));
    REQUIRE(document["paths"][route.pattern].contains(method));
    CHECK(document["paths"][route.pattern][method].at("x-access") == name_of(route.access));
    CHECK_FALSE(document["paths"][route.pattern][method].at("summary").get<std::string>().empty());
  }
}

TEST_CASE("what another class has is not found through one's own") {
  ClassFixture fixture;
  const int64_t stranger = fixture.person(2, "instructor");
  CHECK(fixture
            .ask("GET", fmt::format("/api/v1/classes/gpu/students/{}/history", stranger),
                 fixture.instructor)
            .status == 404);
  CHECK(fixture.ask("GET", "/api/v1/classes/other/students", fixture.instructor).status == 403);
  CHECK(fixture.ask("GET", "/api/v1/classes/nowhere/students", fixture.instructor).status == 403);
  CHECK(
      fixture.ask("POST", "/api/v1/classes/gpu/regrades", fixture.instructor, {{"submission", 99}})
          .status == 404);
}

TEST_CASE("a hidden assignment is there for instructors only") {
  ClassFixture fixture;
  fixture.database().run("UPDATE assignments SET hidden_until_ms = ? WHERE class_id = 1",
                         {kTestNowMs + kDayMs});
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu/assignments/coalescing/board", fixture.student)
            .status == 404);
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu/assignments/coalescing/board", fixture.instructor)
            .status == 200);
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu", fixture.student).body.at("assignments").empty());
  CHECK_THROWS(fixture.submit(fixture.student));
}

}  // namespace ridge::leaderboard
