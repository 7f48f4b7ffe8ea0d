// A worker: leases jobs from a class server, grades them with the harness in its sandbox, and
// returns the results.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::leaderboard {

struct WorkerOptions {
  std::string url, token, name;
  std::filesystem::path clone;    // contains the labs
  std::filesystem::path scratch;  // for sources and compiled kernels
  bool unsafe = false;            // grade without a sandbox
  int64_t most_jobs = 0;          // ends after this many; 0: no limit
  int64_t most_idle_ms = 200;     // between two requests for a job while there is none
};

// Exit status: 0, or 3 when this machine cannot grade (no sandbox, no compiler, a revoked token).
int run_worker(const WorkerOptions& options);

}  // namespace ridge::leaderboard
