// Several servers on one PostgreSQL database, a class that moves there, and connections that end.
// They run where RIDGE_TEST_DATABASE names a database (with_postgresql.sh).
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "leaderboard/store/copy_database.h"
#include "leaderboard/store/postgresql_connection.h"
#include "leaderboard/store/schema.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"
#include "tests/scratch_folder.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

bool skipped_without_postgresql() {
  if (!on_postgresql())
    WARN("skipped: tests/leaderboard/with_postgresql.sh starts PostgreSQL for this");
  return !on_postgresql();
}

// Ends all connections to the database but the one that asks.
void end_connections() {
  PostgresqlConnection(std::getenv("RIDGE_TEST_DATABASE"), "")
      .run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
          "application_name = 'ridge-class'",
          {});
}

// What comes within 5 s.
ChangeFeed::Received received_by(ChangeFeed& feed) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  ChangeFeed::Received received;
  while (received.texts.empty() && !received.missed &&
         std::chrono::steady_clock::now() < deadline) {
    received = feed.take();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return received;
}

}  // namespace

TEST_CASE("values are numbered outside of quotes, and a password is not shown") {
  CHECK(with_numbered_values("a = ? AND b = '?' AND c IN (?, ?)") ==
        "a = $1 AND b = '?' AND c IN ($2, $3)");
  CHECK(without_password("postgresql://me:secret@host/db?x=secret") == "postgresql://me@host/db");
  CHECK(without_password("postgresql://me@host/db") == "postgresql://me@host/db");
  CHECK(without_password("postgresql:///db") == "postgresql:///db");
}

TEST_CASE("a board that one server changes is new on the other server",
          "[postgresql][exhaustive]") {
  if (skipped_without_postgresql()) return;
  const std::string place = new_postgresql_place();
  ClassFixture fixture(place);
  const auto database = open_database(place);
  AppOptions options;
  options.now_ms = [&] { return fixture.now_ms; };
  App other(*database, the_course(), options);
  const auto feed = database->feed();
  const auto board = [&] {
    return json::parse(other
                           .handle({"GET",
                                    "/api/v1/classes/gpu/assignments/coalescing/board",
                                    {},
                                    {{"authorization", "Bearer " + fixture.student}},
                                    "",
                                    ""})
                           .body);
  };
  CHECK(board()["boards"].empty());
  fixture.graded(fixture.student, "PASS");
  for (int i = 0; i < 4; ++i)  // handed in, leased, graded
    other.apply_changes_of_others(received_by(*feed));
  CHECK(board()["boards"].at(0)["rows"].size() == 1);
  const std::vector<Notice> notices = other.take_notices();
  CHECK(std::count_if(notices.begin(), notices.end(),
                      [](const Notice& one) { return one.event == "board"; }) == 1);
  CHECK(other.board_salt() == fixture.app().board_salt());
}

TEST_CASE("two servers lease every job once, and never two of one student",
          "[postgresql][exhaustive]") {
  if (skipped_without_postgresql()) return;
  const std::string place = new_postgresql_place();
  ClassFixture fixture(place);
  constexpr int kJobs = 12;
  for (int i = 0; i < kJobs; ++i)
    fixture.submit(i % 2 ? fixture.student : fixture.other_student);
  std::atomic<int> leased{0}, most{0}, running{0};
  const auto serve = [&](const std::string& name) {
    const auto database = open_database(place);
    App app(*database, the_course(), {});
    const auto post = [&](const std::string& what, const json& body) {
      Request request{"POST", "/api/v1/worker/" + what, {}, {}, body.dump(), ""};
      request.headers = {{"authorization", "Bearer " + fixture.worker},
                         {"content-type", "application/json"}};
      return app.handle(request);
    };
    while (leased < kJobs) {
      const Response answer = post("lease", {{"worker", name}, {"engines", {"virtual"}}});
      if (answer.status != 200) continue;
      ++leased;
      most = std::max(most.load(), ++running);
      const json job = json::parse(answer.body);
      --running;
      if (post("result", ClassFixture::result_of(job, "PASS")).status != 200) leased = 1000;
    }
  };
  std::thread one([&] { serve("a"); }), other([&] { serve("b"); });
  one.join();
  other.join();
  CHECK(leased == kJobs);
  CHECK(fixture.count("SELECT count(*) FROM grades WHERE in_force = 1") == kJobs);
  CHECK(fixture.count("SELECT count(*) FROM jobs") == kJobs);
}

TEST_CASE("a connection that ends costs at most one request, and events are asked for anew",
          "[postgresql][exhaustive]") {
  if (skipped_without_postgresql()) return;
  ClassFixture fixture;
  const auto feed = fixture.database().feed();
  const int64_t id = fixture.submit(fixture.student);
  end_connections();
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student).status ==
        200);
  end_connections();
  CHECK(fixture.submit(fixture.student) > id);  // a change, too, is begun on a new connection
  {
    Transaction transaction(fixture.database());
    end_connections();
    CHECK_THROWS_AS(transaction.commit(), UncertainError);
  }
  feed->take();
  CHECK(received_by(*feed).missed);
}

TEST_CASE("a change is on PostgreSQL's disk after the wait, and its COMMIT did not wait",
          "[postgresql][store]") {
  if (skipped_without_postgresql()) return;
  ClassFixture fixture;
  PostgresqlConnection other(std::getenv("RIDGE_TEST_DATABASE"), "");
  // The log's writer would flush by itself within 200 ms.
  int waited = 0, after_commit = 0;
  for (int i = 0; i < 10; ++i) {
    const int64_t before = fixture.submit(i % 2 ? fixture.student : fixture.other_student);
    CHECK(before > 0);
    const std::string end = other.run("SELECT pg_current_wal_insert_lsn()", {}).at(0).text(0);
    const auto on_disk = [&] {
      return other.run("SELECT pg_current_wal_flush_lsn() >= CAST(? AS pg_lsn)", {end})
          .at(0)
          .number(0);
    };
    after_commit += static_cast<int>(on_disk());
    fixture.database().wait_for_disk();
    waited += static_cast<int>(on_disk());
  }
  CHECK(after_commit < 10);
  CHECK(waited == 10);
}

TEST_CASE("a change whose session ended before the flush is not taken for stored",
          "[postgresql][store]") {
  if (skipped_without_postgresql()) return;
  ClassFixture fixture;
  fixture.submit(fixture.student);
  fixture.database().wait_for_disk();
  fixture.submit(fixture.student);
  end_connections();  // as PostgreSQL does when one of its processes was killed
  CHECK_THROWS_AS(fixture.database().wait_for_disk(), UncertainError);
  fixture.submit(fixture.student);
  CHECK_NOTHROW(fixture.database().wait_for_disk());
}

TEST_CASE("a server's start collects the statistics that queries are planned with",
          "[postgresql][store]") {
  if (skipped_without_postgresql()) return;
  ClassFixture fixture;
  fixture.submit(fixture.student);
  const auto rows = [&](const char* table) {
    return fixture.count("SELECT reltuples FROM pg_class WHERE oid = CAST(? AS regclass)", {table});
  };
  CHECK(rows("submissions") != 1);  // -1: unknown
  fixture.database().collect_statistics();
  CHECK(rows("submissions") == 1);
  CHECK(rows("people") == fixture.count("SELECT count(*) FROM people"));
}

TEST_CASE("an abandoned writer does not hold up the others for long", "[postgresql][exhaustive]") {
  if (skipped_without_postgresql()) return;
  const std::string place = new_postgresql_place();
  ClassFixture fixture(place);
  const auto other = open_database(place);
  other->run_script("SET lock_timeout = '100ms'");
  Transaction holds(fixture.database());
  try {
    other->begin();
    FAIL("two writers at once");
  } catch (const report::StoreError& error) {
    CHECK(error.kind == report::StoreError::Kind::busy);
  }
}

TEST_CASE("a class moves to PostgreSQL and back without loss, and its old server says where it is",
          "[postgresql][exhaustive]") {
  if (skipped_without_postgresql()) return;
  const tests::ScratchFolder folder;
  const std::string file = folder.path / "class.db", back = folder.path / "back.db";
  ClassFixture fixture(file);
  fixture.graded(fixture.student, "PASS", 33.333333333333336);
  fixture.submit(fixture.other_student);
  const auto source = open_database(file);
  const auto target = open_database(new_postgresql_place());
  CHECK(move_database(*source, *target).submissions == 2);
  const Asked refused =
      fixture.ask("POST", "/api/v1/classes/gpu/submissions", fixture.student,
                  {{"rung", kRung}, {"files", {{{"name", "k.cu"}, {"text", ""}}}}});
  CHECK(refused.status == 503);
  CHECK(refused.response.body.find("has moved to postgresql://") != std::string::npos);
  CHECK_THROWS_WITH(move_database(*source, *open_database(new_postgresql_place())),
                    Catch::Contains("has moved to"));

  target->back_up(back);
  const auto restored = open_database(back);
  for (const std::string& table : table_names())
    for (const Database::Column& column : source->columns_of(table)) {
      if (table == "settings") continue;  // where the class went is noted there
      const auto values = [&](Database& database) {
        std::vector<std::string> texts;
        for (const Row& row :
             database.run(fmt::format("SELECT {} FROM {} ORDER BY 1", column.exact, table)))
          texts.push_back(row.is_null(0) ? "null" : row.text(0));
        return texts;
      };
      INFO(table << "." << column.name);
      CHECK(values(*source) == values(*restored));
    }
  // A backup is restored into PostgreSQL by a further move.
  CHECK(move_database(*restored, *open_database(new_postgresql_place())).grades == 1);
  App app(*target, the_course(), {});
  Request request{"GET", "/api/v1/classes/gpu", {}, {}, "", ""};
  request.headers["authorization"] = "Bearer " + fixture.student;
  CHECK(app.handle(request).status == 200);
  // New rows continue after the copied ones.
  CHECK(target
            ->run("INSERT INTO classes (name, title, time_zone, counts, public_board) VALUES ('n', "
                  "'', 'UTC', 'best', 0) RETURNING id")[0]
            .number(0) == 3);
}

TEST_CASE("a move that was interrupted is begun again, and no server starts on half a class",
          "[postgresql][exhaustive]") {
  if (skipped_without_postgresql()) return;
  const tests::ScratchFolder folder;
  const std::string file = folder.path / "class.db";
  ClassFixture fixture(file);
  const auto source = open_database(file);
  const auto target = open_database(new_postgresql_place());
  copy_database(*source, *target);
  target->run("INSERT INTO settings (name, value) VALUES ('unfinished_move', ?)", {source->name()});
  fixture.submit(fixture.student);  // the old server went on
  CHECK_THROWS_WITH(need_finished_move(*target), Catch::Contains("was interrupted"));
  CHECK(move_database(*source, *target).submissions == 1);
  CHECK_NOTHROW(need_finished_move(*target));
  // Interrupted after the old database refused changes: only the mark is left to remove.
  target->run("INSERT INTO settings (name, value) VALUES ('unfinished_move', ?)", {source->name()});
  move_database(*source, *target);
  CHECK_NOTHROW(need_finished_move(*target));
  CHECK(number_from(*target, "SELECT count(*) FROM submissions", {}) == 1);
}

}  // namespace ridge::leaderboard
