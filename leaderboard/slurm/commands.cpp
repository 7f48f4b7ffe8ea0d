// Runs Slurm's commands.
#include "leaderboard/slurm/commands.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/build/process.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr double kLimitSeconds = 15;
constexpr const char* kPackage = "sudo apt-get install slurm-client";

std::string first_line(const std::string& text) {
  return text.substr(0, std::min<size_t>(text.find('\n'), 300));
}

// The output of a command. Throws std::runtime_error.
std::string answer_of(const std::vector<std::string>& words, build::Keep keep) {
  build::RunLimits limits;
  limits.seconds = kLimitSeconds;
  limits.output_bytes = size_t{256} << 20;
  // With limits a program gets few of our variables; Slurm's commands need these.
  std::vector<std::pair<std::string, std::string>> environment;
  for (const char* name : {"SLURM_CONF", "SLURM_JWT"})
    if (const char* value = std::getenv(name)) environment.emplace_back(name, value);
  const build::Finished done = build::run(words, environment, keep, limits);
  if (!done.started)
    throw std::runtime_error(fmt::format("{} cannot be started: {}; install it: {}", words[0],
                                         first_line(done.output), kPackage));
  if (done.too_long)
    throw std::runtime_error(
        fmt::format("{} did not answer for {} s: is slurmctld running?", words[0], kLimitSeconds));
  if (done.status != 0)
    throw std::runtime_error(fmt::format(
        "{} ended with {}: {}", words[0], done.status,
        done.output.empty() ? "try it by hand as the server's user" : first_line(done.output)));
  return done.output;
}

std::string trouble_of(const std::vector<std::string>& words) {
  try {
    answer_of(words, build::Keep::all);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (found->is_string()) return *found;
  // Newer versions give a list of the state's flags.
  return found->is_array() && !found->empty() && found->front().is_string()
             ? found->front().get<std::string>()
             : "";
}

// A number of seconds; newer versions give an object with the number. 0 when there is none.
int64_t seconds_in(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  if (found->is_number_integer()) return *found;
  const auto number = found->is_object() ? found->find("number") : found->end();
  return found->is_object() && number != found->end() && number->is_number_integer()
             ? number->get<int64_t>()
             : 0;
}

// A file that only this user can read, deleted with its object: the script contains a token.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& text) {
    const char* folder = std::getenv("TMPDIR");
    name_ = fmt::format("{}/ridge-slurm-XXXXXX", folder && *folder ? folder : "/tmp");
    const int descriptor = mkstemp(name_.data());
    const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) ==
                                                static_cast<ssize_t>(text.size());
    if (descriptor >= 0) close(descriptor);
    if (!written)
      throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", name_));
  }
  ~ScriptFile() { unlink(name_.c_str()); }
  ScriptFile(const ScriptFile&) = delete;
  ScriptFile& operator=(const ScriptFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

bool SlurmJob::waits_or_runs() const {
  static const std::set<std::string> open = {"PENDING",   "RUNNING",   "CONFIGURING",  "COMPLETING",
                                             "REQUEUED",  "SUSPENDED", "REQUEUE_HOLD", "SIGNALING",
                                             "STAGE_OUT", "STOPPED"};
  return open.contains(state);
}

bool SlurmJob::has_started() const {
  return waits_or_runs() && started_ms > 0 && !state.starts_with("REQUEUE") &&
         state != "PENDING" && state != "CONFIGURING";
}

std::vector<std::string> sbatch_words(const BatchJob& job, const std::string& script_file) {
  std::vector<std::string> words = {"sbatch",
                                    "--parsable",
                                    "--no-requeue",
                                    "--export=NONE",
                                    "--chdir=/tmp",
                                    "--job-name=" + job.name,
                                    "--comment=" + job.name,
                                    "--output=" + job.output,
                                    fmt::format("--time={}", job.minutes),
                                    fmt::format("--cpus-per-task={}", job.target.cpus),
                                    "--nodes=1",
                                    "--ntasks=1"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(option + value);
  };
  add("--partition=", job.target.partition);
  add("--gres=", job.target.gres);
  add("--account=", job.target.account);
  add("--mem=", job.target.memory);
  if (geteuid() == 0) {  // a worker never runs as root
    words.emplace_back("--uid=65534");
    words.emplace_back("--gid=65534");
  }
  words.push_back(script_file);
  return words;
}

std::optional<std::vector<SlurmJob>> jobs_in(const std::string& squeue_json,
                                             const std::string& prefix) {
  const json document = json::parse(squeue_json, nullptr, false);
  const auto list = document.is_object() ? document.find("jobs") : document.end();
  if (!document.is_object() || list == document.end() || !list->is_array()) return std::nullopt;
  if (const auto errors = document.find("errors");
      errors != document.end() && errors->is_array() && !errors->empty())
    return std::nullopt;
  std::vector<SlurmJob> jobs;
  for (const json& one : *list)
    if (const std::string name = text_in(one, "name"); name.starts_with(prefix))
      jobs.push_back({name, text_in(one, "job_state"), text_in(one, "state_reason"),
                      seconds_in(one, "start_time") * 1000});
  return jobs;
}

std::string submit_batch(const BatchJob& job) {
  try {
    const ScriptFile file(job.script);
    return trouble_of(sbatch_words(job, file.name()));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string cancel_batch(const std::string& name) {
  return trouble_of({"scancel", "--quiet", "--name=" + name});
}

std::vector<SlurmJob> batch_jobs(const std::string& prefix) {
  const auto jobs = jobs_in(answer_of({"squeue", "--json"}, build::Keep::output_only), prefix);
  if (!jobs)
    throw std::runtime_error(
        "squeue --json did not answer with a list of jobs; it needs Slurm 21.08 or newer with its "
        "JSON plugin");
  return *jobs;
}

}  // namespace ridge::leaderboard
