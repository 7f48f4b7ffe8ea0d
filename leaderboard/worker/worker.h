// A worker: takes jobs from a class server, grades them by the harness in its sandbox, and sends
// the results back.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::leaderboard {

struct WorkerOptions {
  std::string url, token, name;
  std::filesystem::path clone;    // whose labs are graded
  std::filesystem::path scratch;  // for sources and compiled kernels
  bool unsafe = false;            // grade without a sandbox
  int64_t most_jobs = 0;          // then it ends; 0: no limit
  int64_t most_idle_ms = 200;     // between two questions for a job, while there is none
};

// Exit status: 0, or 3 when this machine cannot grade (no sandbox, no compiler, a token that was
// revoked).
int run_worker(const WorkerOptions& options);

}  // namespace ridge::leaderboard
