// The worker's loop: lease, grade, send the result.
#include "leaderboard/worker/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "harness/course/lab.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/grade.h"
#include "harness/grade/integrity/sandbox_trial.h"
#include "harness/report/store/json.h"
#include "leaderboard/access/secrets.h"
#include "leaderboard/client/http_client.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto kLeastIdle = 200ms, kRenewal = 5000ms, kRetry = 500ms;
constexpr uint64_t kMostTraceBytes = 640 * 1024;  // its base64 form is below kMostTraceText
constexpr int kMostRetries = 120;  // a minute: the lifetime of a lease without renewal

struct Asked {
  int status = 0;
  json body;
};

Asked post(const WorkerOptions& options, const std::string& path, const json& body) {
  const HttpAnswer answer = ask({"POST", options.url + "/api/v1/worker/" + path, options.token,
                                 body.dump(-1, ' ', false, json::error_handler_t::replace), 20});
  return {answer.status, json::parse(answer.body, nullptr, false)};
}

// Reports the grading's progress, and renews the lease while there is none.
class Reporter {
 public:
  Reporter(const WorkerOptions& options, json ticket)
      : options_(options), ticket_(std::move(ticket)), thread_([this] { run(); }) {}
  ~Reporter() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void show(std::string_view text) {
    {
      const std::lock_guard lock(mutex_);
      text_ = text;
      fresh_ = true;
    }
    changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      changed_.wait_for(lock, kRenewal, [this] { return over_ || fresh_; });
      if (over_) return;
      fresh_ = false;
      json body = ticket_;
      body["progress"] = text_.substr(0, 400);
      lock.unlock();
      try {
        post(options_, "progress", body);
      } catch (const HttpError&) {  // only the result matters
      }
      std::this_thread::sleep_for(100ms);
      lock.lock();
    }
  }

  const WorkerOptions& options_;
  const json ticket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_ = "starting";
  bool fresh_ = true, over_ = false;
  std::thread thread_;
};

class Worker {
 public:
  explicit Worker(const WorkerOptions& options)
      : options_(options), course_(course::load(options.clone)) {
    asking_ = {{"worker", options.name}, {"engines", {"virtual"}}};
    const grade::EngineChoice gpu =
        grade::choose_engine(grade::Engine::gpu, runner::find_installation());
    if (!gpu.gpu) return;
    asking_["engines"].push_back("gpu");
    asking_["device"] = gpu.gpu->name;
    // Workers that share a GPU send the same id: the server lets one of them grade on it at a time.
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    asking_["device_id"] = fmt::format("{}/gpu {}", host, visible ? visible : "0");
  }

  int run() {
    const auto most_idle = std::max(kLeastIdle, std::chrono::milliseconds(options_.most_idle_ms));
    auto idle = kLeastIdle;
    for (int64_t done = 0; options_.most_jobs == 0 || done < options_.most_jobs;) {
      Asked leased;
      try {
        leased = post(options_, "lease", asking_);
      } catch (const HttpError&) {  // the server may be restarting
        std::this_thread::sleep_for(kRetry);
        continue;
      }
      if (leased.status == 401 || leased.status == 403) {
        fmt::print(
            stderr,
            "worker {}: the server refuses the worker's token: it was revoked or is too old\n",
            options_.name);
        return 3;
      }
      if (leased.status == 410) return 0;  // this batch job's work was taken back
      if (leased.status != 200 || !leased.body.is_object()) {
        std::this_thread::sleep_for(idle);
        idle = std::min(idle * 3 / 2, most_idle);
        continue;
      }
      idle = kLeastIdle;
      work_on(leased.body);
      ++done;
    }
    return 0;
  }

 private:
  void work_on(const json& job) {
    json answer = {{"submission", job.at("submission")},
                   {"attempt", job.at("attempt")},
                   {"lease", job.at("lease")}};
    std::string path = "result";
    try {
      answer["result"] = grade_job(job, answer);
    } catch (const std::exception& error) {
      answer["why"] = error.what();
      path = "return";
      fmt::print(stderr, "worker {}: submission {} is given back: {}\n", options_.name,
                 job.at("submission").dump(), error.what());
    }
    for (int tried = 0; tried < kMostRetries; ++tried) {
      try {
        if (const int status = post(options_, path, answer).status; status < 500)
          break;  // accepted, or never will be
      } catch (const HttpError&) {
      }
      std::this_thread::sleep_for(kRetry);
    }
    if (path == "result" && job.value("trace", false)) send_trace(job, answer);
    if (path == "return")
      std::this_thread::sleep_for(2s);  // avoids a busy loop on a machine that cannot grade
  }

  // Records a trace in another, short run of the graded file. The grade is valid without a trace.
  void send_trace(const json& job, const json& ticket) {
    static const std::set<std::string> without = {"COMPILE ERROR", "LAUNCH ERROR", "DEADLOCK",
                                                  "TIMEOUT",       "SUSPECT",      "SKIPPED",
                                                  "NOT STARTED"};
    if (without.contains(ticket.at("result").value("verdict", ""))) return;
    const course::Rung& rung = *course::find(course_, job.at("rung").get<std::string>()).at(0);
    grade::Request request;
    request.rung = &rung;
    request.source = options_.scratch / "job" / (rung.name + ".cu");
    request.engine = grade::Engine::virtual_gpu;
    request.seed = std::stoull(job.at("seed").get<std::string>(), nullptr, 16);
    request.cache = options_.scratch / "cache";
    request.trace_file = options_.scratch / "job.rtrace";
    request.trace_limit_bytes = kMostTraceBytes;
    std::error_code ignored;
    fs::remove(*request.trace_file, ignored);
    try {
      grade::grade(request);
      const auto bytes = text::read_file_if_readable(*request.trace_file);
      if (!bytes || bytes->size() > kMostTraceBytes) return;
      post(options_, "trace",
           {{"submission", ticket.at("submission")},
            {"attempt", ticket.at("attempt")},
            {"lease", ticket.at("lease")},
            {"trace", base64_of(*bytes)}});
    } catch (const std::exception& error) {
      fmt::print(stderr, "worker {}: no trace of submission {}: {}\n", options_.name,
                 job.at("submission").dump(), error.what());
    }
  }

  json grade_job(const json& job, const json& ticket) {
    const auto found = course::find(course_, job.at("rung").get<std::string>());
    const course::Rung& rung = *found.at(0);
    const fs::path folder =
        options_.scratch / "job";  // a fixed name, so that compiled files are found again
    fs::remove_all(folder);
    fs::create_directories(folder);
    grade::Request request;
    for (const json& file : job.at("files")) {
      std::string name = fs::path(file.at("name").get<std::string>()).filename();
      if (name.ends_with(".cu")) {
        name = rung.name + ".cu";
        request.source = folder / name;
      }
      std::ofstream(folder / name, std::ios::binary) << file.at("text").get<std::string>();
    }
    if (!fs::is_regular_file(request.source))
      throw std::runtime_error("the source could not be written; is the disk full?");
    Reporter reporter(options_, ticket);
    request.rung = &rung;
    request.engine = job.at("engine") == "gpu" ? grade::Engine::gpu : grade::Engine::virtual_gpu;
    request.seed = std::stoull(job.at("seed").get<std::string>(), nullptr, 16);
    request.cache = options_.scratch / "cache";
    request.progress = [&](std::string_view text) { reporter.show(text); };
    report::Graded graded{&rung, false, grade::grade(request), {}};
    if (graded.result.verdict == grade::Verdict::skipped)
      throw std::runtime_error(graded.result.summary);
    if (!options_.unsafe && !graded.result.sandbox.empty() &&
        !graded.result.sandbox.starts_with("bubblewrap"))
      throw std::runtime_error("the sandbox was not in force: " + graded.result.sandbox);
    return json::parse(report::results_json({&graded, 1})).at("results").at(0);
  }

  const WorkerOptions& options_;
  course::Course course_;
  json asking_;  // the body of its request for a job
};

}  // namespace

int run_worker(const WorkerOptions& options) {
  if (!options.unsafe) {
    setenv("RIDGE_SANDBOX", "bubblewrap", 1);  // without it there is no grade
    const grade::SandboxTrial trial = grade::try_sandbox();
    if (!trial.why_not.empty()) {
      fmt::print(
          stderr,
          "worker {}: refuses to start without a sandbox: {}.\nTo grade without one all the same, for files that you "
          "trust: --unsafe (every page then says so)\n",
          options.name, trial.why_not);
      return 3;
    }
  }
  fs::create_directories(options.scratch / "cache");
  fs::current_path(options.scratch);
  return Worker(options).run();
}

}  // namespace ridge::leaderboard
