// How a class uses Slurm: [slurm] of CLASS.toml.
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

// What sbatch is asked for, for the jobs of one target (jobs/targets.h). Empty: Slurm's default.
struct SlurmTarget {
  std::string engine, partition = {}, gres = {}, account = {}, memory = {};
  int cpus = 2;
};

struct SlurmSpec {
  std::vector<SlurmTarget> targets;
  std::string folder;                // a packed folder that the nodes see; empty: they fetch one
  std::string server;                // the server's address as nodes reach it; empty: public_url
  std::string output = "/dev/null";  // of the batch jobs, as sbatch --output has it
  int most_jobs = 50;                // in Slurm at a time
  int minutes = 10;                  // per job
  int poll_seconds = 5;              // between two looks at Slurm's queue
};

}  // namespace ridge::leaderboard
