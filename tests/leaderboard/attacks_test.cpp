// What an attacker tries, and how it is refused: one test per attack. Those that need sockets are
// in browser/attacks_test.mjs, and markup in names in browser/pages_test.mjs.
#include <fmt/format.h>

#include "leaderboard/access/secrets.h"
#include "leaderboard/classes/tar.h"
#include "leaderboard/classes/upload.h"
#include "leaderboard/http/page_files.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {
namespace {

using nlohmann::json;

struct Session {
  std::string cookie, csrf;
};

Session signed_in(ClassFixture& fixture, const std::string& token) {
  const Asked asked = fixture.ask("POST", "/api/v1/session", "", {{"token", token}});
  for (const auto& [name, value] : asked.response.headers)
    if (name == "Set-Cookie")
      return {value.substr(0, value.find(';')), asked.body.value("csrf", "")};
  return {};
}

Request by_cookie(const std::string& method, const std::string& path, const Session& session,
                  const std::string& csrf) {
  return {
      method,
      path,
      {},
      {{"cookie", session.cookie}, {"x-csrf-token", csrf}, {"content-type", "application/json"}},
      "{}",
      "192.0.2.1"};
}

std::string upload_of(const std::string& name, const std::string& text) {
  return complaint_about_upload({{name, text}});
}

}  // namespace

TEST_CASE("a change by cookie without the session's CSRF token is refused") {
  ClassFixture fixture;
  const Session session = signed_in(fixture, fixture.instructor);
  const std::string path = "/api/v1/classes/gpu/join-codes";
  CHECK(fixture.send(by_cookie("POST", path, session, "")).status == 403);
  CHECK(fixture.send(by_cookie("POST", path, session, new_secret())).status == 403);
  CHECK(fixture.send(by_cookie("POST", path, session, signed_in(fixture, fixture.instructor).csrf))
            .status == 403);
  CHECK(fixture.send(by_cookie("POST", path, session, session.csrf)).status == 201);
}

TEST_CASE("a form of another site cannot send a change: only JSON is taken") {
  ClassFixture fixture;
  Request request{
      "POST", "/api/v1/classes/gpu/join-codes",
      {},     {{"authorization", "Bearer " + fixture.instructor}, {"content-type", "text/plain"}},
      "{}",   ""};
  CHECK(fixture.send(request).status == 415);
}

TEST_CASE("a session's cookie is HttpOnly and SameSite=Strict, and Secure over HTTPS") {
  ClassFixture fixture;
  AppOptions options;
  options.secure_cookies = true;
  App over_https(fixture.database(), the_course(), options);
  Request request{"POST",
                  "/api/v1/session",
                  {},
                  {{"content-type", "application/json"}},
                  json{{"token", fixture.student}}.dump(),
                  ""};
  for (App* app : {&fixture.app(), &over_https}) {
    const Response response = app->handle(request);
    REQUIRE(response.headers.size() == 1);
    const std::string& cookie = response.headers[0].second;
    CHECK(cookie.find("; HttpOnly; SameSite=Strict") != cookie.npos);
    CHECK((cookie.find("; Secure") != cookie.npos) == (app == &over_https));
  }
}

TEST_CASE("SQL in any text stays a text") {
  ClassFixture fixture;
  const std::string sql = "x'); DROP TABLE submissions; --";
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu' OR '1'='1", fixture.instructor).status == 403);
  CHECK(fixture.ask("PUT", "/api/v1/classes/gpu/me", fixture.student, {{"nickname", sql}}).status ==
        200);
  CHECK(fixture.ask("POST", "/api/v1/session", "", {{"token", "' OR 1=1 --"}}).status == 401);
  CHECK(fixture.ask("GET", "/api/v1/submissions/1 OR 1=1", fixture.instructor).status == 403);
  const int64_t id = fixture.submit(fixture.student, sql);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body["files"][0]["text"] == sql);
  CHECK(fixture
            .ask("GET", "/api/v1/classes/gpu/submissions?before=1;DROP TABLE people",
                 fixture.instructor)
            .status == 200);
  CHECK(fixture.count("SELECT count(*) FROM people") > 0);
}

TEST_CASE("a line end in an address or a header's value goes no further") {
  CHECK_FALSE(decoded("/api%0d%0aSet-Cookie:%20a=b").has_value());
  CHECK_FALSE(decoded("/%00").has_value());
  CHECK_FALSE(decoded("/%zz").has_value());
  CHECK(decoded("/a%20b") == "/a b");
  ClassFixture fixture;
  CHECK(fixture
            .ask("PUT", "/api/v1/classes/gpu/me", fixture.student,
                 {{"nickname", "a\r\nSet-Cookie: b"}})
            .status == 400);
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu/exports/plain.csv\r\nX: y", fixture.instructor)
            .status == 404);
}

TEST_CASE(
    "an upload's name is a plain file name, and nothing but a .cu file and headers is taken") {
  for (const char* name :
       {"../kernel.cu", "/etc/kernel.cu", "a/b.cu", "a\\b.cu", "..", ".cu", "-o.cu", "kernel.cu\n",
        "k\xc3\xa9.cu", "", "kernel.sh", "kernel.cu.so", "Makefile"}) {
    INFO(name);
    CHECK_FALSE(upload_of(name, "int a;\n").empty());
  }
  CHECK(upload_of("kernel.cu", "int a;\n").empty());
  CHECK(complaint_about_upload({{"kernel.cu", ""}, {"tile.cuh", ""}, {"tile.h", ""}}).empty());
  CHECK_FALSE(complaint_about_upload({{"a.cu", ""}, {"b.cu", ""}}).empty());
  CHECK_FALSE(complaint_about_upload({{"a.cu", ""}, {"a.cu", ""}}).empty());
  CHECK_FALSE(complaint_about_upload({{"a.h", ""}}).empty());
}

TEST_CASE("an upload has at most 256 KB and is UTF-8") {
  CHECK(upload_of("kernel.cu", std::string(256 * 1024, ' ')).empty());
  CHECK(upload_of("kernel.cu", std::string(256 * 1024 + 1, ' ')).find("262145 bytes") !=
        std::string::npos);
  for (const char* text : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    CHECK_FALSE(is_utf8(text));
  CHECK(is_utf8("\xe2\x82\xac \xf0\x9f\xa5\x87"));
  CHECK_FALSE(upload_of("kernel.cu", std::string("a\0b", 3)).empty());
}

TEST_CASE("an archive has no name that leaves its folder") {
  for (const char* name : {"../a", "/a", "a/../../b", "a//b", "", "a/./b", "a\\b"})
    CHECK_THROWS_AS(tar_of({{name, "", 0}}), std::invalid_argument);
  ClassFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  fixture.database().run("UPDATE submissions SET files = ? WHERE id = ?",
                         {json::array({{{"name", "../../etc/passwd"}, {"text", "x"}}}).dump(), id});
  const std::string archive =
      fixture.ask("GET", "/api/v1/classes/gpu/exports/archive.tar", fixture.instructor)
          .response.body;
  CHECK(archive.find("passwd") == archive.npos);
}

TEST_CASE("guessing tokens and codes is slowed down to ten per minute and address") {
  ClassFixture fixture;
  for (const char* path : {"/api/v1/session", "/api/v1/join"}) {
    fixture.now_ms += kHourMs;
    int refused = 0;
    for (int i = 0; i < 30; ++i)
      refused +=
          fixture.ask("POST", path, "", {{"token", new_secret()}, {"code", new_code()}}).status ==
          429;
    CHECK(refused == 20);
    fixture.now_ms += kMinuteMs;
    CHECK(fixture.ask("POST", path, "", {{"token", new_secret()}, {"code", new_code()}}).status !=
          429);
  }
}

TEST_CASE("a whole class may join and sign in from one address") {
  ClassFixture fixture;
  const json code = fixture
                        .ask("POST", "/api/v1/classes/gpu/join-codes", fixture.instructor,
                             {{"uses", 60}, {"hours", 1}})
                        .body.at("code");
  for (int i = 0; i < 60; ++i) {
    const Asked joined =
        fixture.ask("POST", "/api/v1/join", "", {{"code", code}, {"name", fmt::format("s{}", i)}});
    REQUIRE(joined.status == 201);
    CHECK(fixture.ask("POST", "/api/v1/session", "", {{"token", joined.body.at("token")}}).status ==
          200);
  }
}

TEST_CASE("a revoked token and its sessions are nobody's") {
  ClassFixture fixture;
  const Session session = signed_in(fixture, fixture.student);
  Request request = by_cookie("GET", "/api/v1/classes/gpu", session, "");
  request.body.clear();
  CHECK(fixture.send(request).status == 200);
  CHECK(fixture
            .ask("DELETE",
                 fmt::format("/api/v1/classes/gpu/students/{}/tokens", fixture.student_id),
                 fixture.instructor, json::object())
            .status == 200);
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu", fixture.student).status == 401);
  CHECK(fixture.send(request).status == 401);
  CHECK(fixture.ask("DELETE", "/api/v1/classes/gpu/board-links", fixture.instructor, json::object())
            .status == 200);
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu", fixture.board).status == 401);
}

TEST_CASE("tokens expire, and the database has none of them") {
  ClassFixture fixture;
  CHECK(fixture.count("SELECT count(*) FROM tokens WHERE hash = ?", {fixture.student}) == 0);
  CHECK(fixture.count("SELECT count(*) FROM tokens WHERE hash = ?",
                      {hash_of_secret(fixture.student)}) == 1);
  CHECK(fixture.student.size() == 43);
  fixture.now_ms += kPersonTokenLivesMs;
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu", fixture.student).status == 401);
}

TEST_CASE("a join code is used up after its number, and too old after its time") {
  ClassFixture fixture;
  const auto join = [&](const std::string& code, int i) {
    fixture.now_ms += 7000;  // under the limit of tries
    return fixture
        .ask("POST", "/api/v1/join", "", {{"code", code}, {"name", fmt::format("new {}", i)}})
        .status;
  };
  const auto made = [&](int uses) {
    return fixture
        .ask("POST", "/api/v1/classes/gpu/join-codes", fixture.instructor,
             {{"uses", uses}, {"hours", 1}})
        .body.at("code")
        .get<std::string>();
  };
  const std::string code = made(3);
  int joined = 0;
  for (int i = 0; i < 6; ++i)
    joined += join(code, i) == 201;
  CHECK(joined == 3);
  const std::string old = made(100);
  fixture.now_ms += kHourMs;
  CHECK(join(old, 9) == 403);
  const std::string personal =
      fixture
          .ask("POST",
               fmt::format("/api/v1/classes/gpu/students/{}/invitation", fixture.student_id),
               fixture.instructor, json::object())
          .body.at("code");
  CHECK(join(personal, 10) == 201);
  CHECK(join(personal, 11) == 403);
}

TEST_CASE("a sign-in code works once and for ten minutes") {
  ClassFixture fixture;
  const auto made = [&] {
    return fixture.ask("POST", "/api/v1/sign-in-codes", fixture.student, json::object())
        .body.at("code");
  };
  const auto use = [&](const json& code) {
    return fixture.ask("POST", "/api/v1/session", "", {{"code", code}}).status;
  };
  const json code = made(), late = made();
  CHECK(use(code) == 200);
  CHECK(use(code) == 401);
  fixture.now_ms += kSignInCodeLivesMs;
  CHECK(use(late) == 401);
}

TEST_CASE("a result without the attempt's lease is forged, and refused") {
  ClassFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  const json job = fixture.lease();
  json forged = ClassFixture::result_of(job, "GOLD");
  forged["lease"] = new_secret();
  CHECK(fixture.send_result(forged).status == 409);
  forged["lease"] = "";
  CHECK(fixture.send_result(forged).status == 400);
  forged = ClassFixture::result_of(job, "GOLD");
  forged["attempt"] = 2;
  CHECK(fixture.send_result(forged).status == 409);
  CHECK(fixture
            .ask("POST", "/api/v1/worker/result", fixture.student,
                 ClassFixture::result_of(job, "GOLD"))
            .status == 403);
  CHECK(fixture.count("SELECT count(*) FROM grades") == 0);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body.at("grade")
            .is_null());
  CHECK(fixture.send_result(ClassFixture::result_of(job, "WRONG")).status == 200);
}

TEST_CASE("the result of an old attempt, and the same result again, change nothing") {
  ClassFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  const json lost = fixture.lease("first");
  fixture.now_ms += kLeaseMs + 1;
  const json job = fixture.lease("second");
  REQUIRE(job.at("attempt") == 2);
  CHECK(fixture.send_result(ClassFixture::result_of(lost, "GOLD")).status == 409);
  CHECK(fixture.send_result(ClassFixture::result_of(job, "WRONG")).status == 200);
  CHECK(fixture.send_result(ClassFixture::result_of(job, "GOLD")).status == 409);
  CHECK(fixture.send_result(ClassFixture::result_of(lost, "GOLD")).status == 409);
  CHECK(fixture.count("SELECT count(*) FROM grades WHERE submission_id = ?", {id}) == 1);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body["grade"]["verdict"] == "WRONG");
}

TEST_CASE("a student hands in at most twelve times per minute") {
  ClassFixture fixture;
  int taken = 0;
  for (int i = 0; i < 20; ++i)
    taken += fixture
                 .ask("POST", "/api/v1/classes/gpu/submissions", fixture.student,
                      {{"rung", kRung}, {"files", {{{"name", "k.cu"}, {"text", ""}}}}})
                 .status == 201;
  CHECK(taken == 12);
}

TEST_CASE("what is no JSON, or of other types than described, is refused with a sentence") {
  ClassFixture fixture;
  for (const char* body :
       {"[]", "{", "null", "\"a\"",
        "{\"csv\": 5, \"uses\": \"many\", \"nickname\": [], \"files\": {}, \"valid\": 3}"}) {
    for (const Route& route : routes()) {
      if (route.method == std::string("GET")) continue;
      std::string path = route.pattern;
      for (const auto& [what, by] :
           {std::pair("{class}", "gpu"), std::pair("{assignment}", "coalescing"),
            std::pair("{student}", "3"), std::pair("{submission}", "1"),
            std::pair("{regrade}", "1")})
        if (const size_t at = path.find(what); at != path.npos)
          path.replace(at, std::string(what).size(), by);
      const std::string token = route.access == Access::worker    ? fixture.worker
                                : route.access == Access::student ? fixture.student
                                                                  : fixture.instructor;
      Request request{route.method,
                      path,
                      {},
                      {{"authorization", "Bearer " + token}, {"content-type", "application/json"}},
                      body,
                      "192.0.2.1"};
      const Asked asked = fixture.send(request);
      INFO(route.method << " " << path << " " << body << ": " << asked.status << " "
                        << asked.response.body);
      CHECK(asked.status < 500);
    }
  }
}

}  // namespace ridge::leaderboard
