// The database under the class server: upgrades, a disk that is full, a file that cannot be
// written, and the thread that waits for the disk.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <thread>

#include "harness/report/store/database.h"
#include "leaderboard/http/disk_thread.h"
#include "leaderboard/store/schema.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"
#include "tests/scratch_folder.h"

namespace ridge::leaderboard {

namespace {

namespace fs = std::filesystem;

// A database as the server of that version left it.
void make_old_database(const std::string& place, int64_t version) {
  const Dialect dialect = on_postgresql() ? Dialect::postgresql : Dialect::sqlite;
  std::string script;
  for (int64_t step = 0; step < version; ++step)
    script += schema_step(step, dialect) + ";";
  script +=
      "INSERT INTO classes (name, title, time_zone, counts, public_board) VALUES ('gpu', 'Old', 'UTC', 'best', 0);"
      "INSERT INTO people (class_id, role, name, email, created_ms) VALUES (1, 'student', 'Ada', 'ada@example.org', 1);"
      "INSERT INTO assignments (class_id, name, title, engine, points, due_ms) VALUES (1, 'a', 'A', 'virtual', 100, 9);"
      "INSERT INTO submissions (class_id, assignment_id, person_id, rung, received_ms, state, files) VALUES (1, 1, 1, 'r', 5, "
      "'queued', '[]');"
      "INSERT INTO jobs (submission_id, attempt, state, seed, queued_ms) VALUES (1, 1, 'waiting', '0123456789abcdef', 5);";
  if (on_postgresql())
    PostgresqlConnection(place, "").run_script(fmt::format(
        "{}CREATE TABLE ridge_tables (version BIGINT NOT NULL); INSERT INTO ridge_tables "
        "VALUES ({})",
        script, version));
  else
    report::Database(place, 1000).run(fmt::format("{}PRAGMA user_version = {}", script, version));
}

}  // namespace

TEST_CASE("a database of every earlier version is brought up to date with what it holds",
          "[store]") {
  for (int64_t version = 1; version < schema_version(); ++version) {
    const tests::ScratchFolder folder;
    const std::string place =
        on_postgresql() ? new_postgresql_place() : (folder.path / "class.db").string();
    make_old_database(place, version);
    const auto database = open_database(place);
    CHECK(database->tables_version() == schema_version());
    CHECK(database->run("SELECT name FROM people")[0].text(0) == "Ada");
    std::vector<Change> changes;
    CHECK(lease_next(*database, {"w", {"virtual"}}, 10, changes).value().submission_id == 1);
    CHECK(database->run("SELECT target FROM jobs")[0].text(0) == "virtual");
    CHECK(database->run("SELECT count(*) FROM hints")[0].number(0) == 0);
    CHECK(database->run("SELECT count(*) FROM traces")[0].number(0) == 0);
  }
}

TEST_CASE("a full disk refuses a submission in plain words, and keeps what was acknowledged",
          "[sqlite]") {
  const tests::ScratchFolder folder;
  ClassFixture fixture((folder.path / "class.db").string());
  const int64_t kept = fixture.submit(fixture.student);
  // SQLite reports its limit of pages as it reports a full disk.
  fixture.database().run("PRAGMA max_page_count = 1");
  const nlohmann::json body = {
      {"rung", kRung}, {"files", {{{"name", "k.cu"}, {"text", std::string(200'000, 'x')}}}}};
  const Asked refused =
      fixture.ask("POST", "/api/v1/classes/gpu/submissions", fixture.student, body);
  CHECK(refused.status == 503);
  CHECK(refused.body["error"]["what"].get<std::string>().find("nothing was stored") == 0);
  CHECK(refused.body["error"]["what"].get<std::string>().find("the disk is full") !=
        std::string::npos);
  CHECK(fixture.count("SELECT count(*) FROM submissions") == 1);
  const auto told =
      std::find_if(fixture.logged.begin(), fixture.logged.end(),
                   [](const nlohmann::json& line) { return line["event"] == "trouble"; });
  REQUIRE(told != fixture.logged.end());
  CHECK(told->at("what").get<std::string>().find("the disk is full") != std::string::npos);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", kept), fixture.student).status ==
        200);
  fixture.database().run("PRAGMA max_page_count = 1000000");
  CHECK(fixture.ask("POST", "/api/v1/classes/gpu/submissions", fixture.student, body).status ==
        201);
}

TEST_CASE("a change is acknowledged after the disk, a worker's progress before", "[store]") {
  ClassFixture fixture;
  const Asked submitted =
      fixture.ask("POST", "/api/v1/classes/gpu/submissions", fixture.student,
                  {{"rung", kRung}, {"files", {{{"name", "k.cu"}, {"text", ""}}}}});
  CHECK(submitted.response.after_disk);
  const nlohmann::json job = fixture.lease();
  const auto post = [&](const char* what, nlohmann::json body) {
    body.update({{"submission", job["submission"]}, {"attempt", 1}, {"lease", job["lease"]}});
    return fixture.ask("POST", fmt::format("/api/v1/worker/{}", what), fixture.worker, body)
        .response.after_disk;
  };
  CHECK_FALSE(post("progress", {{"progress", "compiling"}}));
  CHECK(fixture.send_result(ClassFixture::result_of(job, "PASS")).response.after_disk);
  CHECK_FALSE(fixture.ask("GET", "/api/v1/classes/gpu", fixture.student).response.after_disk);
}

TEST_CASE("the disk's thread serves those who wait, and the log moves into the file", "[sqlite]") {
  const tests::ScratchFolder folder;
  const fs::path file = folder.path / "class.db";
  const auto database = open_sqlite(file);
  DiskThread disk(*database);
  for (int i = 0; i < 3; ++i) {
    database->run(
        "INSERT INTO classes (name, title, time_zone, counts, public_board) VALUES (?, '', 'UTC', 'best', 0)",
        {fmt::format("class-{}", i)});
    std::promise<std::string> told;
    disk.when_on_disk([&](const std::string& trouble) { told.set_value(trouble); });
    CHECK(told.get_future().get().empty());
  }
  CHECK(database->reader()->run("SELECT count(*) FROM classes")[0].number(0) == 3);
  CHECK_THROWS(database->reader()->run("DELETE FROM classes"));
  database->tidy();
  // What the file alone holds, without its log.
  fs::copy_file(file, folder.path / "copy.db");
  CHECK(open_sqlite_to_read(folder.path / "copy.db")
            ->run("SELECT count(*) FROM classes")[0]
            .number(0) == 3);
}

TEST_CASE("exports and similarity are left to another thread, and say the same there", "[store]") {
  const tests::ScratchFolder folder;
  ClassFixture fixture(on_postgresql() ? new_postgresql_place()
                                       : (folder.path / "class.db").string());
  fixture.graded(fixture.student, "PASS");
  AppOptions options;
  options.now_ms = [&] { return fixture.now_ms; };
  options.in_background = true;
  App app(fixture.database(), the_course(), options);
  for (const char* path : {"/api/v1/classes/gpu/exports/plain.csv",
                           "/api/v1/classes/gpu/assignments/coalescing/similarity"}) {
    Request request{"GET", path, {}, {{"authorization", "Bearer " + fixture.instructor}}, "", ""};
    Response response = app.handle(request);
    REQUIRE(response.background.has_value());
    const auto reading = fixture.database().reader();
    std::thread([&] { response.background->work(*reading); }).join();
    CHECK(response.background->finish().body ==
          fixture.ask("GET", path, fixture.instructor).response.body);
    request.headers["authorization"] = "Bearer " + fixture.student;
    CHECK(app.handle(request).status == 403);
  }
}

}  // namespace ridge::leaderboard
