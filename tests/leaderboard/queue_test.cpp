// The queue: who comes next, what a lease is, and what is accepted.
#include <fmt/format.h>

#include "harness/report/store/database.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"
#include "tests/scratch_folder.h"

namespace ridge::leaderboard {

using nlohmann::json;

TEST_CASE("the queue is fair: one running job per student, then the longest wait", "[store]") {
  ClassFixture fixture;
  const int64_t first = fixture.submit(fixture.student), second = fixture.submit(fixture.student);
  fixture.now_ms += 10;
  const int64_t third = fixture.submit(fixture.other_student);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", third), fixture.other_student)
            .body.at("ahead") == 2);
  const json job = fixture.lease("a");
  CHECK(job.at("submission") == first);
  CHECK(fixture.lease("b").at("submission") == third);  // the student of `second` has one running
  CHECK(fixture
            .ask("POST", "/api/v1/worker/lease", fixture.worker,
                 {{"worker", "c"}, {"engines", {"virtual"}}})
            .status == 204);
  CHECK(fixture.send_result(ClassFixture::result_of(job, "PASS")).status == 200);
  CHECK(fixture.lease("c").at("submission") == second);
}

TEST_CASE("a job goes only to a worker that can grade on its engine", "[store]") {
  ClassFixture fixture;
  fixture.database().run("UPDATE assignments SET engine = 'gpu'");
  fixture.submit(fixture.student);
  const auto leased = [&](const json& engines) {
    return fixture
        .ask("POST", "/api/v1/worker/lease", fixture.worker,
             {{"worker", "w"}, {"engines", engines}})
        .status;
  };
  CHECK(leased({"virtual"}) == 204);
  CHECK(leased(json::array()) == 204);
  CHECK(leased({"virtual", "gpu"}) == 200);
}

TEST_CASE("every attempt has the seed that the server drew, and no worker chooses it", "[store]") {
  ClassFixture fixture;
  fixture.submit(fixture.student);
  fixture.submit(fixture.other_student);
  const json one = fixture.lease("a"), other = fixture.lease("b");
  CHECK(one.at("seed").get<std::string>().size() == 16);
  CHECK(one.at("seed") != other.at("seed"));
}

TEST_CASE("a lease that is not renewed runs out, and the same seed is graded again", "[store]") {
  ClassFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  const json lost = fixture.lease("a");
  const auto progress = [&](const json& job) {
    return fixture
        .ask("POST", "/api/v1/worker/progress", fixture.worker,
             {{"submission", job.at("submission")},
              {"attempt", job.at("attempt")},
              {"lease", job.at("lease")},
              {"progress", "checking 7 of 19"}})
        .status;
  };
  fixture.now_ms += kLeaseMs - 1;
  CHECK(progress(lost) == 200);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body.at("progress") == "checking 7 of 19");
  fixture.now_ms += kLeaseMs;  // renewed: not over
  CHECK(fixture
            .ask("POST", "/api/v1/worker/lease", fixture.worker,
                 {{"worker", "b"}, {"engines", {"virtual"}}})
            .status == 204);
  fixture.now_ms += 1;
  const json again = fixture.lease("b");
  CHECK(again.at("attempt") == 2);
  CHECK(again.at("seed") == lost.at("seed"));
  CHECK(progress(lost) == 409);
}

TEST_CASE(
    "a worker that is gone loses its jobs at once, and after five lost attempts a submission has failed",
    "[store]") {
  ClassFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    REQUIRE(fixture.lease("local-0").at("attempt") == attempt);
    fixture.app().recover_worker("local-0");
  }
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body.at("state") == "failed");
  CHECK(fixture
            .ask("POST", "/api/v1/worker/lease", fixture.worker,
                 {{"worker", "b"}, {"engines", {"virtual"}}})
            .status == 204);
  CHECK(fixture.count(
            "SELECT count(*) FROM events WHERE kind = 'submission.failed' AND submission_id = ?",
            {id}) == 1);
}

TEST_CASE("a worker that cannot grade gives its job back with the reason in the log", "[store]") {
  ClassFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  const json job = fixture.lease("a");
  CHECK(fixture
            .ask("POST", "/api/v1/worker/return", fixture.worker,
                 {{"submission", id},
                  {"attempt", 1},
                  {"lease", job.at("lease")},
                  {"why", "the disk is full"}})
            .status == 200);
  CHECK(fixture.lease("b").at("attempt") == 2);
  CHECK(fixture.count("SELECT count(*) FROM events WHERE detail LIKE '%the disk is full%'") == 1);
}

TEST_CASE("the event log can only grow", "[store]") {
  ClassFixture fixture;
  fixture.submit(fixture.student);
  CHECK_THROWS_AS(fixture.database().run("DELETE FROM events"), report::StoreError);
  CHECK_THROWS_AS(fixture.database().run("UPDATE events SET actor = 'nobody'"), report::StoreError);
  CHECK(fixture.count("SELECT count(*) FROM events WHERE kind = 'submission.received'") == 1);
}

TEST_CASE("two grades in force for one submission are impossible", "[store]") {
  ClassFixture fixture;
  const int64_t id = fixture.graded(fixture.student, "PASS");
  CHECK_THROWS_AS(
      fixture.database().run(
          "INSERT INTO grades (submission_id, attempt, in_force, verdict, engine, device, summary, next, result, seed, seconds, "
          "accepted_ms) VALUES (?, 9, 1, '', '', '', '', '', '', '', 0, 0)",
          {id}),
      report::StoreError);
}

TEST_CASE("a database that cannot be written is reported, and can still be read", "[sqlite]") {
  const tests::ScratchFolder folder;
  {
    const auto database = open_sqlite(folder.path / "class.db");
    ClassSpec spec;
    spec.name = "gpu";
    spec.public_board = true;
    create_or_update_class(*database, spec, kTestNowMs);
  }
  const auto database = open_sqlite_to_read(folder.path / "class.db");
  App app(*database, the_course(), {});
  Request request{"GET", "/api/v1/classes/gpu", {}, {}, "", ""};
  CHECK(app.handle(request).status == 200);
  request = {"POST",
             "/api/v1/join",
             {},
             {{"content-type", "application/json"}},
             "{\"code\": \"x\", \"name\": \"y\"}",
             ""};
  const Response refused = app.handle(request);
  CHECK(refused.status == 503);
  CHECK(refused.body.find("must be writable") != std::string::npos);
}

TEST_CASE("a database of a newer server is refused, and a backup is whole", "[sqlite]") {
  const tests::ScratchFolder folder;
  {
    const auto database = open_sqlite(folder.path / "class.db");
    ClassSpec spec;
    spec.name = "gpu";
    create_or_update_class(*database, spec, kTestNowMs);
    database->back_up(folder.path / "copy.db");
    CHECK(find_class(*open_sqlite(folder.path / "copy.db"), "gpu").has_value());
    database->run("PRAGMA user_version = 99");
  }
  CHECK_THROWS_WITH(open_sqlite(folder.path / "class.db"), Catch::Contains("newer class server"));
}

}  // namespace ridge::leaderboard
