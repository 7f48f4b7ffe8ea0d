// Slurm's commands: sbatch, squeue and scancel, each with a time limit. A controller that does not
// answer is an error, never a wait without end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leaderboard/classes/slurm_spec.h"

namespace ridge::leaderboard {

struct SlurmJob {
  std::string name, state, reason;  // state: "PENDING", "RUNNING", "FAILED", ... (squeue's manual)
  bool waits_or_runs() const;
};

// One job that is to be made. Its name says whose it is: Slurm's numbers may be lost or used again
// when its controller is killed.
struct BatchJob {
  std::string name, script;
  SlurmTarget target;
  int minutes = 10;
  std::string output;
};

std::vector<std::string> sbatch_words(const BatchJob& job, const std::string& script_file);
// What `squeue --json` says; none when it is no list of jobs. Only names that begin with `prefix`.
std::optional<std::vector<SlurmJob>> jobs_in(const std::string& squeue_json,
                                             const std::string& prefix);

// "" when it is done, else what went wrong.
std::string submit_batch(const BatchJob& job);
std::string cancel_batch(const std::string& name);
// Throws std::runtime_error when Slurm does not answer.
std::vector<SlurmJob> batch_jobs(const std::string& prefix);

}  // namespace ridge::leaderboard
