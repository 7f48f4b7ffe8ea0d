// What workers are given and what they send beside the grade: GPUs and traces; and the hints that
// students report.
#include <fmt/format.h>

#include <fstream>

#include "leaderboard/access/secrets.h"
#include "leaderboard/jobs/gpu_shares.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"
#include "tests/scratch_folder.h"

namespace ridge::leaderboard {

using nlohmann::json;
using Words = std::vector<std::string>;

TEST_CASE("every GPU has one worker, and further workers have none") {
  CHECK(gpu_per_worker(3, {"0", "1"}) == Words{"0", "1", ""});
  CHECK(gpu_per_worker(1, {"0", "1"}) == Words{"0"});
  CHECK(gpu_per_worker(2, {}) == Words{"", ""});
  CHECK(gpu_per_worker(0, {"0"}).empty());
}

TEST_CASE("the machine's GPUs are those that CUDA would show") {
  const tests::ScratchFolder folder;
  for (const char* name : {"nvidia0", "nvidia2", "nvidia10", "nvidiactl", "nvidia-uvm", "tty0"})
    std::ofstream(folder.path / name) << "";
  CHECK(gpus_of(nullptr, folder.path) == Words{"0", "1", "2"});
  CHECK(gpus_of("", folder.path).empty());
  CHECK(gpus_of("-1", folder.path).empty());
  CHECK(gpus_of("3,GPU-ab12", folder.path) == Words{"3", "GPU-ab12"});
  CHECK(gpus_of(nullptr, folder.path / "none").empty());
}

TEST_CASE(
    "a trace is taken from the attempt's worker only, after its result, and the newest stays") {
  ClassFixture fixture;
  const int64_t first = fixture.submit(fixture.student);
  json job = fixture.lease();
  const auto send = [&](const json& lease, const std::string& bytes) {
    return fixture
        .ask("POST", "/api/v1/worker/trace", fixture.worker,
             {{"submission", job["submission"]},
              {"attempt", job["attempt"]},
              {"lease", lease},
              {"trace", bytes}})
        .status;
  };
  const auto shown = [&](int64_t id) {
    return fixture.ask("GET", fmt::format("/api/v1/submissions/{}/trace", id), fixture.student);
  };
  const std::string bytes("RT\0\xff", 4);
  CHECK(send(job["lease"], base64_of(bytes)) == 409);  // no result yet
  CHECK(fixture.send_result(ClassFixture::result_of(job, "PASS")).status == 200);
  CHECK(send(new_secret(), base64_of(bytes)) == 409);
  CHECK(send(job["lease"], "no base64!") == 400);
  CHECK(send(job["lease"], std::string(kMostTraceText + 4, 'A')) == 400);
  CHECK(shown(first).status == 404);
  CHECK(send(job["lease"], base64_of(bytes)) == 200);
  CHECK(shown(first).response.body == bytes);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", first), fixture.student)
            .body["trace"] == true);

  const int64_t second = fixture.submit(fixture.student);
  job = fixture.lease();
  CHECK(fixture.send_result(ClassFixture::result_of(job, "PASS")).status == 200);
  CHECK(send(job["lease"], base64_of("2")) == 200);
  CHECK(shown(first).status == 404);
  CHECK(shown(second).response.body == "2");
}

TEST_CASE("base64 of any bytes comes back as they were") {
  for (size_t size = 0; size < 7; ++size) {
    const std::string bytes = std::string("\0\xff\x7f\x80 a", 6).substr(0, size);
    CHECK(from_base64(base64_of(bytes)) == bytes);
  }
  CHECK(from_base64("_-8", true) == "\xff\xef");
  CHECK_FALSE(from_base64("_-8").has_value());
}

TEST_CASE("the list of who is stuck has the hints that the student's own ridge has shown") {
  ClassFixture fixture;
  const auto submit = [&](const json& hints) {
    json body = {{"rung", kRung}, {"files", {{{"name", "k.cu"}, {"text", ""}}}}};
    if (!hints.is_null()) body["hints"] = hints;
    CHECK(fixture.ask("POST", "/api/v1/classes/gpu/submissions", fixture.student, body).status ==
          201);
    CHECK(fixture.send_result(ClassFixture::result_of(fixture.lease(), "WRONG")).status == 200);
  };
  const auto stuck = [&] {
    return fixture.ask("GET", "/api/v1/classes/gpu/stuck", fixture.instructor).body["stuck"];
  };
  submit(nullptr);
  submit(nullptr);
  CHECK(stuck().at(0).at("hints").is_null());
  submit(2);
  CHECK(stuck().at(0).at("hints") == 2);
  submit(1000);
  CHECK(stuck().at(0).at("hints") == 3);
}

}  // namespace ridge::leaderboard
