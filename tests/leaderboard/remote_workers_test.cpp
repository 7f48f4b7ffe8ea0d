// Workers on other machines: their tokens, their devices, draining and banning; and assignments that
// are graded on several kinds of devices.
#include <fmt/format.h>

#include "leaderboard/jobs/targets.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {

using nlohmann::json;

namespace {

struct Machine {
  int64_t id = 0;
  std::string token;
};

Machine machine_of(ClassFixture& fixture, const std::string& name = "lab-pc") {
  const Asked made =
      fixture.ask("POST", "/api/v1/classes/gpu/workers", fixture.instructor, {{"name", name}});
  REQUIRE(made.status == 201);
  return {made.body.at("id"), made.body.at("token")};
}

Asked lease_by(ClassFixture& fixture, const std::string& token, const std::string& device = "",
               const std::string& device_id = "", const std::string& name = "w") {
  json body = {{"worker", name}, {"engines", {"virtual"}}};
  if (!device.empty())
    body.update({{"engines", {"virtual", "gpu"}}, {"device", device}, {"device_id", device_id}});
  return fixture.ask("POST", "/api/v1/worker/lease", token, body);
}

int change(ClassFixture& fixture, int64_t id, const std::string& state) {
  return fixture
      .ask("PUT", fmt::format("/api/v1/classes/gpu/workers/{}", id), fixture.instructor,
           {{"state", state}})
      .status;
}

void set_targets(ClassFixture& fixture, const json& targets) {
  REQUIRE(fixture
              .ask("PUT", "/api/v1/classes/gpu/assignments/coalescing", fixture.instructor,
                   {{"engine", targets}})
              .status == 200);
}

}  // namespace

TEST_CASE("a target is matched with what a worker has") {
  struct Expected {
    const char* target;
    bool valid, on_h200, without;
  };
  for (const Expected& row : {Expected{"virtual", true, true, true},
                              {"gpu", true, true, false},
                              {"gpu:h200", true, true, false},
                              {"gpu:H100", true, false, false},
                              {"gpu:", false, true, false},
                              {"tpu", false, true, false},
                              {"gpu:a,b", false, false, false}}) {
    INFO(row.target);
    CHECK(is_target(row.target) == row.valid);
    if (!row.valid) continue;
    CHECK(can_grade({"w", {"virtual", "gpu"}, "NVIDIA H200"}, row.target) == row.on_h200);
    CHECK(can_grade({"w", {"virtual"}}, row.target) == row.without);
  }
  CHECK(split_targets(joined_targets({"gpu:H200", "virtual"})).size() == 2);
  CHECK(split_targets("").empty());
  CHECK_FALSE(complaint_about_targets({"gpu", "gpu"}).empty());
  CHECK_FALSE(complaint_about_targets({}).empty());
}

TEST_CASE("a remote worker gets the jobs of its class only, and is listed with its devices",
          "[store]") {
  ClassFixture fixture;
  const Machine machine = machine_of(fixture);
  const std::string other =
      fixture
          .ask("POST", "/api/v1/classes/other/workers", fixture.other_instructor, {{"name", "x"}})
          .body.at("token");
  fixture.submit(fixture.student);
  CHECK(lease_by(fixture, other).status == 204);
  const Asked leased = lease_by(fixture, machine.token, "NVIDIA H200", "pc/gpu 0", "pc/local-0");
  REQUIRE(leased.status == 200);
  CHECK(fixture
            .ask("POST", "/api/v1/worker/result", machine.token,
                 ClassFixture::result_of(leased.body, "PASS"))
            .status == 200);
  const json listed = fixture.ask("GET", "/api/v1/classes/gpu/workers", fixture.instructor)
                          .body.at("workers")
                          .at(0);
  CHECK(listed.at("devices").at("pc/local-0") == "NVIDIA H200");
  CHECK(listed.at("graded") == 1);
  CHECK(listed.at("running") == 0);
  CHECK(listed.dump().find(machine.token) == std::string::npos);
}

TEST_CASE("a draining worker finishes what it has and gets no more, until it is active again",
          "[store]") {
  ClassFixture fixture;
  const Machine machine = machine_of(fixture);
  fixture.submit(fixture.student);
  fixture.submit(fixture.other_student);
  const Asked leased = lease_by(fixture, machine.token);
  REQUIRE(leased.status == 200);
  CHECK(change(fixture, machine.id, "draining") == 200);
  CHECK(lease_by(fixture, machine.token).status == 204);
  CHECK(fixture
            .ask("POST", "/api/v1/worker/result", machine.token,
                 ClassFixture::result_of(leased.body, "PASS"))
            .status == 200);
  CHECK(change(fixture, machine.id, "active") == 200);
  CHECK(lease_by(fixture, machine.token).status == 200);
}

TEST_CASE("a banned worker's token is refused at once, and what it had is graded by others",
          "[store]") {
  ClassFixture fixture;
  const Machine machine = machine_of(fixture);
  const int64_t id = fixture.submit(fixture.student);
  const json job = lease_by(fixture, machine.token).body;
  CHECK(change(fixture, machine.id, "banned") == 200);
  CHECK(lease_by(fixture, machine.token).status == 401);
  CHECK(
      fixture
          .ask("POST", "/api/v1/worker/result", machine.token, ClassFixture::result_of(job, "PASS"))
          .status == 401);
  CHECK(change(fixture, machine.id, "active") == 409);
  const json again = fixture.lease();
  CHECK(again.at("submission") == id);
  CHECK(again.at("attempt") == 2);
  CHECK(change(fixture, 99, "active") == 404);
  CHECK(change(fixture, machine_of(fixture, "b").id, "asleep") == 400);
}

TEST_CASE("a GPU grades one submission at a time, whoever shares it", "[store]") {
  ClassFixture fixture;
  set_targets(fixture, "gpu");
  fixture.submit(fixture.student);
  fixture.submit(fixture.other_student);
  const Asked first = lease_by(fixture, fixture.worker, "NVIDIA H200", "pc/gpu 0", "a");
  REQUIRE(first.status == 200);
  CHECK(lease_by(fixture, fixture.worker, "NVIDIA H200", "pc/gpu 0", "b").status == 204);
  CHECK(fixture.send_result(ClassFixture::result_of(first.body, "PASS", 90, "gpu", "NVIDIA H200"))
            .status == 200);
  CHECK(lease_by(fixture, fixture.worker, "NVIDIA H200", "pc/gpu 0", "b").status == 200);
}

TEST_CASE("a submission is graded on several devices, and one of them counts", "[store]") {
  ClassFixture fixture;
  set_targets(fixture, {"gpu:H200", "gpu:H100", "virtual"});
  const int64_t id = fixture.submit(fixture.student);
  const auto shown = [&] {
    return fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student).body;
  };
  const auto grade_on = [&](const std::string& device, const std::string& verdict, double figure) {
    const json job = lease_by(fixture, fixture.worker, device, "pc/" + device).body;
    REQUIRE(job.at("submission") == id);
    const bool gpu = job.at("engine") == "gpu";
    REQUIRE(fixture
                .send_result(ClassFixture::result_of(job, verdict, figure, gpu ? "gpu" : "virtual",
                                                     gpu ? device : "H200 (virtual)"))
                .status == 200);
  };
  grade_on("", "PASS", 70);  // the virtual one waits for nobody
  CHECK(shown().at("state") == "queued");
  CHECK(shown().at("grade").is_null());
  grade_on("NVIDIA H200", "SLOW", 60);
  CHECK(shown().at("state") == "graded");
  CHECK(shown().at("grade").at("device") == "NVIDIA H200");
  // A further target's worker that is lost costs its own attempt only.
  REQUIRE(lease_by(fixture, fixture.worker, "NVIDIA H100", "pc/x", "lost").status == 200);
  fixture.app().recover_worker("lost");
  CHECK(shown().at("state") == "graded");
  grade_on("NVIDIA H100", "PASS", 80);
  CHECK(lease_by(fixture, fixture.worker, "NVIDIA H200", "pc/y").status == 204);

  const json further = shown().at("further");
  REQUIRE(further.size() == 2);
  CHECK(further[0].at("target") == "GPU (H100)");
  CHECK(further[0].at("verdict") == "PASS");
  CHECK(further[1].at("target") == "virtual GPU");
  const json boards =
      fixture.ask("GET", "/api/v1/classes/gpu/assignments/coalescing/board", fixture.student)
          .body.at("boards");
  REQUIRE(boards.size() == 3);
  for (const json& board : boards)
    CHECK(board.at("rows").size() == 1);
  // The gradebook and the lists know the one grade that counts.
  CHECK(fixture.ask("GET", "/api/v1/classes/gpu/submissions", fixture.instructor)
            .body.at("submissions")
            .size() == 1);
  const json own = fixture.ask("GET", "/api/v1/classes/gpu", fixture.student).body;
  CHECK(own.at("assignments").at(0).at("own").at("rungs").at(kRung).at("verdict") == "SLOW");
  CHECK(own.at("assignments").at(0).at("engines").size() == 3);
  // So does a regrade.
  REQUIRE(fixture.ask("POST", "/api/v1/classes/gpu/regrades", fixture.instructor, json::object())
              .status == 201);
  grade_on("NVIDIA H200", "PASS", 91);
  CHECK(shown().at("grade").at("verdict") == "SLOW");
  CHECK(fixture
            .ask("POST", "/api/v1/classes/gpu/regrades/1/application", fixture.instructor,
                 json::object())
            .status == 200);
  CHECK(shown().at("grade").at("verdict") == "PASS");
  CHECK(fixture.count("SELECT count(*) FROM grades WHERE in_force > 0") == 3);
}

}  // namespace ridge::leaderboard
