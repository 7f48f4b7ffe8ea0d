// A class server without sockets: two classes in memory, with everybody who may ask.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/course/lab.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/api/app.h"
#include "leaderboard/classes/records.h"
#include "leaderboard/store/database.h"
#include "leaderboard/store/postgresql_connection.h"

namespace ridge::leaderboard {

inline const course::Course& the_course() {
  static const course::Course course = course::load(RIDGE_SOURCE_DIR);
  return course;
}

// PostgreSQL with RIDGE_TEST_DATABASE=postgresql://..., where every database is a schema of its own;
// else SQLite in memory. The same tests run on both.
inline bool on_postgresql() {
  return std::getenv("RIDGE_TEST_DATABASE") != nullptr;
}
inline std::string new_postgresql_place() {
  static int count = 0;
  const std::string url = std::getenv("RIDGE_TEST_DATABASE");
  const std::string schema = fmt::format("test_{}_{}", getpid(), ++count);
  PostgresqlConnection(url, "CREATE SCHEMA " + schema);
  return fmt::format("{}{}options=-csearch_path%3D{}", url, url.find('?') == url.npos ? '?' : '&',
                     schema);
}
inline std::string new_place() {
  return on_postgresql() ? new_postgresql_place() : ":memory:";
}

inline constexpr int64_t kTestNowMs = 1'800'000'000'000;  // 2027-01-15 08:00 UTC
inline constexpr const char* kRung = "02-coalescing/4-transpose-tiled";

struct Asked {
  int status = 0;
  nlohmann::json body;
  Response response;
};

class ClassFixture {
 public:
  explicit ClassFixture(const std::string& place = new_place()) : database_(open_database(place)) {
    for (const char* name : {"gpu", "other"}) {
      ClassSpec spec;
      spec.name = name;
      spec.title = "GPU programming";
      spec.instructors = {{"Ines", "ines@example.org"}};
      AssignmentSpec assignment;
      assignment.name = "coalescing";
      assignment.title = "Coalescing";
      assignment.rungs = {{"02-coalescing/1-unit-stride", 1}, {kRung, 2}};
      assignment.due_ms = kTestNowMs + 7 * kDayMs;
      assignment.late_percent_per_day = 10;
      assignment.late_days = 3;
      spec.assignments = {assignment};
      create_or_update_class(*database_, spec, kTestNowMs);
    }
    AppOptions options;
    options.now_ms = [this] { return now_ms; };
    options.log = [this](const nlohmann::json& line) { logged.push_back(line); };
    app_ = std::make_unique<App>(*database_, the_course(), options);
    instructor = token_of(person(1, "instructor"));
    other_instructor = token_of(person(2, "instructor"));
    student_id = add_student("Ada", "ada@example.org");
    other_student_id = add_student("Bob", "bob@example.org");
    student = token_of(student_id);
    other_student = token_of(other_student_id);
    worker =
        issue_token(*database_, {TokenKind::worker, {}, {}, {}, now_ms, 400 * kDayMs, {}}).secret;
    board = issue_token(*database_, {TokenKind::board, 1, {}, {}, now_ms, 400 * kDayMs, {}}).secret;
  }

  Asked ask(const std::string& method, const std::string& path, const std::string& token,
            const nlohmann::json& body = nullptr) {
    Request request{method, path, {}, {}, body.is_null() ? "" : body.dump(), "192.0.2.1"};
    if (const size_t mark = path.find('?'); mark != path.npos) {
      request.path = path.substr(0, mark);
      const size_t equals = path.find('=', mark);
      request.query[path.substr(mark + 1, equals - mark - 1)] = path.substr(equals + 1);
    }
    if (!token.empty()) request.headers["authorization"] = "Bearer " + token;
    if (!body.is_null()) request.headers["content-type"] = "application/json";
    return send(request);
  }

  Asked send(const Request& request) {
    Asked asked;
    asked.response = app_->handle(request);
    asked.status = asked.response.status;
    asked.body = nlohmann::json::parse(asked.response.body, nullptr, false);
    return asked;
  }

  // In the class "gpu"; its number.
  int64_t submit(const std::string& token, const std::string& text = "__global__ void f() {}\n",
                 const std::string& rung = kRung) {
    const Asked asked = ask("POST", "/api/v1/classes/gpu/submissions", token,
                            {{"rung", rung}, {"files", {{{"name", "kernel.cu"}, {"text", text}}}}});
    if (asked.status != 201) throw std::runtime_error(asked.response.body);
    return asked.body.at("submission");
  }

  nlohmann::json lease(const std::string& name = "test") {
    return ask("POST", "/api/v1/worker/lease", worker,
               {{"worker", name}, {"engines", {"virtual", "gpu"}}, {"device", "NVIDIA H200"}})
        .body;
  }

  static nlohmann::json result_of(const nlohmann::json& job, const std::string& verdict,
                                  double useful = 50, const std::string& engine = "virtual",
                                  const std::string& device = "H200 (virtual)") {
    nlohmann::json result = {{"verdict", verdict}, {"engine", engine},
                             {"device", device},   {"summary", "s"},
                             {"next", "n"},        {"seed", job.at("seed")},
                             {"seconds", 1.0},     {"gates", nlohmann::json::array()}};
    if (engine == "gpu")
      result["measured"] = {{"percent", useful}};
    else
      result["traffic"] = {{"useful_bytes", useful}, {"l1_bytes", 100.0}};
    return {{"submission", job.at("submission")},
            {"attempt", job.at("attempt")},
            {"lease", job.at("lease")},
            {"result", result}};
  }

  Asked send_result(const nlohmann::json& answer) {
    return ask("POST", "/api/v1/worker/result", worker, answer);
  }

  // Submits and grades.
  int64_t graded(const std::string& token, const std::string& verdict, double useful = 50,
                 const std::string& rung = kRung, const std::string& engine = "virtual",
                 const std::string& device = "H200 (virtual)") {
    const int64_t id = submit(token, "__global__ void f() {}\n", rung);
    const nlohmann::json job = lease();
    if (send_result(result_of(job, verdict, useful, engine, device)).status != 200)
      throw std::runtime_error("refused");
    return id;
  }

  int64_t add_student(const std::string& name, const std::string& email) {
    return database_
        ->run(
            "INSERT INTO people (class_id, role, name, email, nickname, created_ms, joined_ms) VALUES (1, 'student', ?, ?, ?, ?, ?) "
            "RETURNING id",
            {name, email, name + "-nick", now_ms, now_ms})[0]
        .number(0);
  }
  int64_t person(int64_t class_id, const std::string& role) {
    return *number_from(*database_, "SELECT id FROM people WHERE class_id = ? AND role = ?",
                        {class_id, role});
  }
  std::string token_of(int64_t person_id) {
    const int64_t class_id = find_person(*database_, person_id)->class_id;
    return issue_token(
               *database_,
               {TokenKind::person, class_id, person_id, {}, now_ms, kPersonTokenLivesMs, {}})
        .secret;
  }
  int64_t count(const std::string& sql, const Values& values = {}) {
    return number_from(*database_, sql, values).value_or(0);
  }
  Database& database() { return *database_; }
  App& app() { return *app_; }

  std::vector<nlohmann::json> logged;
  int64_t now_ms = kTestNowMs, student_id = 0, other_student_id = 0;
  std::string student, other_student, instructor, other_instructor, worker, board;

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<App> app_;
};

}  // namespace ridge::leaderboard
