// Waits for the disk on a separate thread. All changes committed during one wait share the next.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

class DiskThread {
 public:
  // Called on that thread. `trouble` is empty when everything committed before when_on_disk() is on
  // disk.
  using Done = std::function<void(const std::string& trouble)>;

  explicit DiskThread(Database& database) : database_(database), thread_([this] { run(); }) {}
  ~DiskThread();
  DiskThread(const DiskThread&) = delete;
  DiskThread& operator=(const DiskThread&) = delete;

  void when_on_disk(Done done);

 private:
  void run();
  std::string wait_for_disk();
  void tidy_now_and_then();

  Database& database_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Done> waiting_;
  bool over_ = false;
  std::chrono::steady_clock::time_point tidied_ = std::chrono::steady_clock::now();
  std::thread thread_;  // last member: it uses the others
};

}  // namespace ridge::leaderboard
