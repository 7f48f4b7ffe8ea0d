// Slurm's commands sbatch, squeue and scancel, each with a time limit. A controller that does not
// answer is an error and never blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leaderboard/classes/slurm_spec.h"

namespace ridge::leaderboard {

struct SlurmJob {
  std::string name, state, reason;  // state: "PENDING", "RUNNING", "FAILED", ... (squeue's manual)
  int64_t started_ms = 0;           // by the controller's clock; for a job that waits: expected, or 0
  bool waits_or_runs() const;
  bool has_started() const;  // it has a node now, and has not ended
};

// A job to submit. It is identified by its name, because Slurm may lose or reuse its numbers when
// its controller is killed.
struct BatchJob {
  std::string name, script;
  SlurmTarget target;
  int minutes = 10;
  std::string output;
};

std::vector<std::string> sbatch_words(const BatchJob& job, const std::string& script_file);
// Parses the output of `squeue --json`; empty when it is not a list of jobs. Returns only jobs
// whose names begin with `prefix`.
std::optional<std::vector<SlurmJob>> jobs_in(const std::string& squeue_json,
                                             const std::string& prefix);

// Return "" on success, else the error.
std::string submit_batch(const BatchJob& job);
std::string cancel_batch(const std::string& name);
// Throws std::runtime_error when Slurm does not answer.
std::vector<SlurmJob> batch_jobs(const std::string& prefix);

}  // namespace ridge::leaderboard
