// Batch jobs for Slurm: what sbatch is asked for, what squeue says, and how the dispatcher follows it.
// Slurm's commands are played here; slurm_test.mjs has a cluster.
#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "leaderboard/slurm/dispatcher.h"
#include "leaderboard/slurm/job_script.h"
#include "leaderboard/store/duty.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {

using nlohmann::json;

namespace {

// A Slurm that does what a test says.
class PlayedSlurm {
 public:
  SlurmCommands commands() {
    return {[this](const BatchJob& job) { return submit(job); },
            [this](const std::string& name) { return cancel(name); },
            [this](const std::string&) { return listed(); }};
  }
  std::map<std::string, SlurmJob> jobs;  // by name
  std::vector<BatchJob> submitted;
  std::vector<std::string> cancelled;
  bool down = false;

 private:
  std::string submit(const BatchJob& job) {
    if (down) return "sbatch did not answer";
    submitted.push_back(job);
    jobs[job.name] = {job.name, "PENDING", "Priority", 0};
    return "";
  }
  std::string cancel(const std::string& name) {
    cancelled.push_back(name);
    jobs.erase(name);
    return "";
  }
  std::vector<SlurmJob> listed() {
    if (down) throw std::runtime_error("squeue did not answer");
    std::vector<SlurmJob> list;
    for (const auto& [name, job] : jobs)
      list.push_back(job);
    return list;
  }
};

struct SlurmFixture : ClassFixture {
  explicit SlurmFixture(int most_jobs = 50)
      : dispatcher(database(), app(), options(most_jobs), slurm.commands()) {}

  static DispatcherOptions options(int most_jobs) {
    SlurmSpec spec;
    spec.targets = {{"virtual", "plain"}, {"gpu:H200", "gpu", "gpu:h200:1"}};
    spec.poll_seconds = 1;
    spec.most_jobs = most_jobs;
    return {spec, "https://class.example.org", "abc", "one:8180/", false};
  }

  // A round, and what came of it.
  std::string round(int64_t later_ms = 10'000) {
    now_ms += later_ms;
    std::string told = dispatcher.tick();
    while (dispatcher.busy())
      std::this_thread::yield();
    const std::string trouble = dispatcher.tick();
    return told.empty() ? trouble : told;
  }

  // As the batch job does, with the token in its script.
  Asked claim(const BatchJob& job, const std::string& device = "") {
    const size_t at = job.script.find("token='") + 7;
    token = job.script.substr(at, job.script.find('\'', at) - at);
    json body = {{"worker", "slurm/" + job.name}, {"engines", {"virtual"}}};
    if (!device.empty()) body.update({{"engines", {"virtual", "gpu"}}, {"device", device}});
    return ask("POST", "/api/v1/worker/lease", token, body);
  }
  int64_t waiting() {
    return count("SELECT count(*) FROM jobs WHERE state = 'waiting' AND placed = ''");
  }

  PlayedSlurm slurm;
  SlurmDispatcher dispatcher;
  std::string token;
};

}  // namespace

TEST_CASE("sbatch is asked for what the target needs, and for no requeue") {
  BatchJob job{
      "ridge-ab-7-1-x", "", {"gpu:H200", "gpu", "gpu:h200:1", "course", "16G", 4}, 11, "/dev/null"};
  const std::vector<std::string> words = sbatch_words(job, "/tmp/script");
  for (const char* word : {"--no-requeue", "--parsable", "--job-name=ridge-ab-7-1-x",
                           "--partition=gpu", "--gres=gpu:h200:1", "--account=course", "--mem=16G",
                           "--cpus-per-task=4", "--time=11", "--export=NONE"}) {
    INFO(word);
    CHECK(std::count(words.begin(), words.end(), word) == 1);
  }
  CHECK(words.back() == "/tmp/script");
  job.target = {"virtual"};
  for (const std::string& word : sbatch_words(job, "s"))
    CHECK(word.find("--gres") == std::string::npos);
}

TEST_CASE("squeue's list is read in the forms of several versions, and nothing else is") {
  const auto jobs = jobs_in(
      R"({"jobs": [{"name": "ridge-a-1", "job_state": "RUNNING", "state_reason": "None", "start_time": 1700000000},
          {"name": "ridge-a-2", "job_state": ["FAILED", "REQUEUED"], "job_id": 7,
           "start_time": {"set": true, "infinite": false, "number": 1700000001}},
          {"name": "other", "job_state": "RUNNING"}, {"job_state": "RUNNING"}], "errors": []})",
      "ridge-a-");
  REQUIRE(jobs.has_value());
  REQUIRE(jobs->size() == 2);
  CHECK(jobs->at(0).waits_or_runs());
  CHECK_FALSE(jobs->at(1).waits_or_runs());
  CHECK(jobs->at(0).started_ms == 1'700'000'000'000);
  CHECK(jobs->at(1).started_ms == 1'700'000'001'000);
  CHECK(jobs->at(0).has_started());
  CHECK_FALSE(jobs->at(1).has_started());
  CHECK_FALSE(jobs_in("", "r").has_value());
  CHECK_FALSE(jobs_in("[]", "r").has_value());
  CHECK_FALSE(jobs_in(R"({"jobs": [], "errors": [{"error": "no controller"}]})", "r").has_value());
}

TEST_CASE("a script's words cannot leave their quotes") {
  const std::string text =
      script_text({"n", "http://x", "it's'; rm -rf /; '", "/f", "p", 600, false});
  CHECK(text.find(R"(token='it'\''s'\''; rm -rf /; '\''')") != std::string::npos);
  CHECK(text.find("--unsafe") == std::string::npos);
}

TEST_CASE("every waiting attempt becomes one batch job, whose token claims it once", "[store]") {
  SlurmFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  fixture.submit(fixture.student);  // one job per student at a time
  fixture.submit(fixture.other_student);
  CHECK(fixture.round().empty());
  CHECK(fixture.round().empty());
  REQUIRE(fixture.slurm.submitted.size() == 2);
  CHECK(fixture.waiting() == 1);
  CHECK(fixture
            .ask("POST", "/api/v1/worker/lease", fixture.worker,
                 {{"worker", "w"}, {"engines", {"virtual"}}})
            .status == 204);  // a worker that pulls does not get what Slurm has
  const Asked claimed = fixture.claim(fixture.slurm.submitted[0]);
  REQUIRE(claimed.status == 200);
  CHECK(claimed.body.at("submission") == id);
  CHECK(fixture.claim(fixture.slurm.submitted[0]).status == 410);
  CHECK(fixture
            .ask("POST", "/api/v1/worker/result", fixture.token,
                 ClassFixture::result_of(claimed.body, "PASS"))
            .status == 200);
  CHECK(fixture.claim(fixture.slurm.submitted[0]).status == 410);
  fixture.slurm.jobs.erase(fixture.slurm.submitted[0].name);
  fixture.round();
  CHECK(fixture.slurm.submitted.size() == 3);  // the student's next
}

TEST_CASE("a job for a GPU goes where the file says, and is claimed by such a GPU only",
          "[store]") {
  SlurmFixture fixture;
  fixture.database().run("UPDATE assignments SET engine = 'gpu:H200'");
  fixture.submit(fixture.student);
  fixture.database().run("UPDATE assignments SET engine = 'gpu:A100'");
  fixture.submit(fixture.other_student);
  fixture.round();
  REQUIRE(fixture.slurm.submitted.size() == 1);
  CHECK(fixture.slurm.submitted[0].target.gres == "gpu:h200:1");
  CHECK(fixture.claim(fixture.slurm.submitted[0], "NVIDIA A100").status == 410);
  CHECK(fixture.claim(fixture.slurm.submitted[0], "NVIDIA H200").status == 200);
}

TEST_CASE(
    "a job that the controller has lost waits again, and the lost one's token is worth nothing",
    "[store]") {
  SlurmFixture fixture;
  fixture.submit(fixture.student);
  fixture.round();
  REQUIRE(fixture.slurm.submitted.size() == 1);
  const BatchJob lost = fixture.slurm.submitted[0];
  fixture.slurm.jobs.clear();
  fixture.round();
  fixture.round();
  REQUIRE(fixture.slurm.submitted.size() == 2);
  CHECK(fixture.claim(lost).status == 401);
  CHECK(fixture.claim(fixture.slurm.submitted[1]).body.at("attempt") == 1);  // no attempt was lost
  // Back from the dead: nobody waits for it.
  fixture.slurm.jobs[lost.name] = {lost.name, "PENDING", "", 0};
  fixture.round();
  fixture.round();
  CHECK(fixture.slurm.cancelled == std::vector<std::string>{lost.name});
}

TEST_CASE("a job that Slurm has ended loses its attempt, and the log says what Slurm said",
          "[store]") {
  SlurmFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    fixture.round();
    REQUIRE(fixture.slurm.submitted.size() == static_cast<size_t>(attempt));
    fixture.slurm.jobs.begin()->second = {fixture.slurm.submitted.back().name, "OUT_OF_MEMORY",
                                          "x", 0};
    fixture.round();
    fixture.slurm.jobs.clear();
  }
  const json shown =
      fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student).body;
  CHECK(shown.at("state") == "failed");
  CHECK(shown.dump().find("Slurm says OUT_OF_MEMORY") != std::string::npos);
}

TEST_CASE("a job that runs for a lease without a claim is cancelled, and its attempt is lost",
          "[store]") {
  SlurmFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  fixture.round();
  REQUIRE(fixture.slurm.submitted.size() == 1);
  const BatchJob silent = fixture.slurm.submitted[0];
  // Waiting for a GPU is no fault, whatever start Slurm expects.
  fixture.slurm.jobs[silent.name].started_ms = fixture.now_ms;
  fixture.round(kLeaseMs + 1);
  CHECK(fixture.count("SELECT count(*) FROM jobs WHERE state = 'lost'") == 0);
  const int64_t placed_ms = fixture.count("SELECT placed_ms FROM jobs");
  fixture.slurm.jobs[silent.name] = {silent.name, "RUNNING", "None", fixture.now_ms};
  fixture.round(kLeaseMs - 1000);
  CHECK(fixture.count("SELECT count(*) FROM jobs WHERE state = 'lost'") == 0);
  CHECK(fixture.now_ms > placed_ms + kLeaseMs);
  fixture.round(2000);
  CHECK(fixture.count("SELECT count(*) FROM jobs WHERE state = 'lost'") == 1);
  fixture.round();
  CHECK(fixture.slurm.cancelled == std::vector<std::string>{silent.name});
  CHECK(fixture.claim(silent).status != 200);  // too late
  fixture.round();
  REQUIRE(fixture.slurm.submitted.size() == 2);
  CHECK(fixture.claim(fixture.slurm.submitted[1]).body.at("attempt") == 2);
  CHECK(fixture.ask("GET", fmt::format("/api/v1/submissions/{}", id), fixture.student)
            .body.dump()
            .find("did not claim its attempt") != std::string::npos);
}

TEST_CASE("a slow clock of Slurm's controller ends no job before its lease", "[store]") {
  SlurmFixture fixture;
  fixture.submit(fixture.student);
  fixture.round();
  const std::string name = fixture.slurm.submitted.at(0).name;
  fixture.slurm.jobs[name] = {name, "RUNNING", "None", fixture.now_ms - 3'600'000};
  fixture.round(kLeaseMs - 1000);
  CHECK(fixture.count("SELECT count(*) FROM jobs WHERE state = 'lost'") == 0);
  fixture.round(2000);
  CHECK(fixture.count("SELECT count(*) FROM jobs WHERE state = 'lost'") == 1);
}

TEST_CASE("a lease that is renewed counts more than what Slurm says", "[store]") {
  SlurmFixture fixture;
  const int64_t id = fixture.submit(fixture.student);
  fixture.round();
  const json job = fixture.claim(fixture.slurm.submitted.at(0)).body;
  fixture.slurm.jobs.clear();  // a new controller that knows nothing
  fixture.now_ms += 10'000;
  CHECK(fixture
            .ask("POST", "/api/v1/worker/progress", fixture.token,
                 {{"submission", id}, {"attempt", 1}, {"lease", job["lease"]}, {"progress", "x"}})
            .status == 200);
  fixture.round(1000);
  CHECK(fixture.count("SELECT count(*) FROM jobs") == 1);
  fixture.round(20'000);  // and now it is silent
  fixture.round();
  CHECK(fixture.count("SELECT count(*) FROM jobs WHERE state = 'lost'") == 1);
}

TEST_CASE("a controller that is down is reported, and every job waits until it is back", "[store]") {
  SlurmFixture fixture;
  fixture.submit(fixture.student);
  fixture.slurm.down = true;
  CHECK(fixture.round() == "squeue did not answer");
  CHECK(fixture.waiting() == 1);
  fixture.slurm.down = false;
  fixture.round();
  CHECK(fixture.slurm.submitted.size() == 1);
}

TEST_CASE("no more jobs are in Slurm than the file allows, and a gone student's are cancelled",
          "[store]") {
  SlurmFixture fixture(1);
  fixture.submit(fixture.student);
  fixture.submit(fixture.other_student);
  fixture.round();
  fixture.round();
  REQUIRE(fixture.slurm.submitted.size() == 1);
  CHECK(fixture
            .ask("DELETE", fmt::format("/api/v1/classes/gpu/students/{}", fixture.student_id),
                 fixture.instructor, json::object())
            .status == 200);
  fixture.round();
  fixture.round();
  CHECK(fixture.slurm.cancelled.size() == 1);
  CHECK(fixture.slurm.submitted.size() == 2);
}

TEST_CASE("of several servers one has a duty, until it is silent for too long", "[store]") {
  ClassFixture fixture;
  const auto holds = [&](const char* holder, int64_t now_ms) {
    Transaction transaction(fixture.database());
    const bool held = hold_duty(fixture.database(), "slurm", holder, now_ms, 1000);
    transaction.commit();
    return held;
  };
  CHECK(holds("a", 0));
  CHECK_FALSE(holds("b", 900));
  CHECK(holds("a", 900));
  CHECK_FALSE(holds("b", 1900));
  CHECK(holds("b", 1901));
  CHECK_FALSE(holds("a", 1902));
}

}  // namespace ridge::leaderboard
