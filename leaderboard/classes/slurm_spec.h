// How a class uses Slurm: the table [slurm] of CLASS.toml.
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

// The options of sbatch for the jobs of one target (jobs/targets.h). Empty: Slurm's default.
struct SlurmTarget {
  std::string engine, partition = {}, gres = {}, account = {}, memory = {};
  int cpus = 2;
};

struct SlurmSpec {
  std::vector<SlurmTarget> targets;
  // A packed folder that the nodes can read; empty: they download one.
  std::string folder;
  std::string server;                // the server's address as seen by the nodes; empty: public_url
  std::string output = "/dev/null";  // of the batch jobs, as in sbatch --output
  int most_jobs = 50;                // simultaneously in Slurm
  int minutes = 10;                  // per job
  int poll_seconds = 5;              // between two queries of Slurm's queue
};

}  // namespace ridge::leaderboard
