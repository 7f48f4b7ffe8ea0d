// `ridge class doctor`: whether this machine can run the class, and what to fix.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/grade/integrity/sandbox_trial.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/records.h"
#include "leaderboard/jobs/gpu_shares.h"
#include "leaderboard/jobs/targets.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/slurm/commands.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t kLeastRoomBytes = uintmax_t{1} << 30;

struct Check {
  const char* what;
  bool well = false;
  std::string detail;
};

Check check_room(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return {"disk", !error && space.available >= kLeastRoomBytes,
          fmt::format("{} MB are free in {}; at least 1,000 are needed", space.available >> 20,
                      folder.string())};
}

Check check_database(const ClassSpec& spec) {
  const std::string where = database_of(spec);
  if (!is_postgresql(where) && !fs::exists(where))
    return {"database", true, where + " is not there yet; `ridge class serve` makes it"};
  try {
    const auto database = open_database(where);
    if (const std::string complaint = database->complaint(); !complaint.empty())
      return {"database", false, complaint};
    const int64_t stuck =
        number_from(*database,
                    "SELECT count(*) FROM jobs WHERE state = 'leased' AND lease_until_ms < ?",
                    {unix_ms() - 60'000})
            .value_or(0);
    return {"database", stuck == 0,
            stuck == 0
                ? database->name() + " is whole"
                : fmt::format("{} leases ran out and nobody took them back: is the server running?",
                              stuck)};
  } catch (const std::exception& error) {
    return {"database", false, error.what()};
  }
}

Check check_gpu(const ClassSpec& spec) {
  const size_t gpus = gpus_of(std::getenv("CUDA_VISIBLE_DEVICES")).size();
  const bool wanted =
      std::any_of(spec.assignments.begin(), spec.assignments.end(),
                  [](const AssignmentSpec& one) { return engine_of(one.engine) == "gpu"; });
  const std::string found = fmt::format("GPUs: {}, workers: {}", gpus, spec.workers);
  if (!wanted) return {"GPU", true, found + "; all assignments are graded on the virtual GPU"};
  if (gpus == 0 || spec.workers == 0)
    return {
        "GPU", false,
        found +
            ": assignments with engine = \"gpu\" wait here forever. Use engine = \"virtual\", or a "
            "machine with a GPU"};
  return {"GPU", true, found + "; one worker per GPU, which grades one submission at a time"};
}

Check check_slurm() {
  try {
    return {"Slurm", true, fmt::format("answers; {} jobs of ours", batch_jobs("ridge-").size())};
  } catch (const std::runtime_error& error) {
    return {"Slurm", false, error.what()};
  }
}

Check check_sandbox() {
  setenv("RIDGE_SANDBOX", "bubblewrap", 1);
  const grade::SandboxTrial trial = grade::try_sandbox();
  return {"sandbox", trial.why_not.empty(), trial.why_not.empty() ? trial.in_force : trial.why_not};
}

}  // namespace

int doctor(const fs::path& clone, const fs::path& class_file) {
  std::vector<Check> checks;
  try {
    const course::Course course = course::load(clone);
    const ClassSpec spec = read_class_file(class_file, course);
    checks.push_back({"class file", true,
                      fmt::format("{}: {} assignments, time zone {}, now {}", class_file.string(),
                                  spec.assignments.size(), spec.time_zone,
                                  local_text(unix_ms(), spec.time_zone))});
    checks.push_back(check_database(spec));
    checks.push_back(check_room(spec.folder));
    checks.push_back(spec.slurm ? check_slurm() : check_gpu(spec));
    const bool open_to_all = spec.address != "127.0.0.1" && spec.address != "::1" &&
                             !public_url(spec).starts_with("https://");
    checks.push_back(
        {"address", !open_to_all,
         open_to_all
             ? fmt::format(
                   "{}:{} is open to the network without TLS: tokens can be read on the way. Put nginx or Caddy in front (docs/class-server.md)",
                   spec.address, spec.port)
             : public_url(spec)});
  } catch (const std::exception& error) {
    checks.push_back({"class file", false, error.what()});
  }
  checks.push_back(check_sandbox());
  checks.push_back({"pages", why_no_pages().empty(),
                    why_no_pages().empty() ? pages_folder().string() : why_no_pages()});
  bool all = true;
  for (const Check& check : checks) {
    fmt::print("{:<8} {:<11} {}\n", check.well ? "ok" : "FIX", check.what, check.detail);
    all = all && check.well;
  }
  return all ? 0 : 1;
}

}  // namespace ridge::leaderboard
