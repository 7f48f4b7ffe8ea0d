// The server's own workers: processes that dropped root before they started, and that are restarted
// when they end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::leaderboard {

struct LocalWorkerOptions {
  int count = 1;
  std::string name;  // of this server, unique on the database; its workers' names begin with it
  std::string url, token;
  int64_t most_idle_ms = 200;
  std::filesystem::path clone;
  bool unsafe = false;
  std::filesystem::path
      note;  // records the scratch folder, so that the next server removes what a killed one left
};

class LocalWorkers {
 public:
  explicit LocalWorkers(LocalWorkerOptions options);
  ~LocalWorkers();  // ends them
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

  void start();
  // Restarts workers that ended and calls `gone` with each name. A worker that refuses this machine
  // (status 3) is not restarted: its reason is in `refusal`.
  void watch(const std::function<void(const std::string&)>& gone);
  const std::string& refusal() const { return refusal_; }

 private:
  struct One {
    std::string name, gpu;  // gpu: CUDA_VISIBLE_DEVICES
    pid_t process = -1;
    std::chrono::steady_clock::time_point started{};
    bool refused = false;
  };
  void start(One& one);
  LocalWorkerOptions options_;
  std::filesystem::path programs_, clone_, scratch_;
  std::vector<One> all_;
  std::string refusal_;
};

}  // namespace ridge::leaderboard
