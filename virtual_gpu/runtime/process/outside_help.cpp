#include "virtual_gpu/runtime/process/outside_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {

struct RunningLaunches {
  std::mutex mutex;
  std::vector<RunningLaunch*> all;
};

namespace {

// The machine asks every two seconds; a launch that has not asked for longer makes progress.
constexpr auto kRecentQuery = std::chrono::seconds(5);
constexpr auto kMaxOutsideWait = std::chrono::seconds(60);

RunningLaunches& running() {
  static auto* launches = new RunningLaunches();
  return *launches;
}

std::atomic<int> calling_threads{0};

struct CallingThread {
  CallingThread() { ++calling_threads; }
  ~CallingThread() { --calling_threads; }
  CallingThread(const CallingThread&) = delete;
  CallingThread& operator=(const CallingThread&) = delete;
  void touch() const {}
};

}  // namespace

void record_calling_thread() {
  thread_local const CallingThread thread;
  thread.touch();
}

RunningLaunch::RunningLaunch(std::string name, const Device& device)
    : name_(std::move(name)), device_(device), events_seen_(process().work.events()) {
  std::lock_guard lock(running().mutex);
  running().all.push_back(this);
}

RunningLaunch::~RunningLaunch() {
  std::lock_guard lock(running().mutex);
  std::erase(running().all, this);
}

bool RunningLaunch::other_processes_may_progress(Clock::time_point now) const {
  const WorkQueues& work = process().work;
  if (calling_threads > work.waiting_threads()) return true;     // the host is running other code
  if (work.tasks_running() > running().all.size()) return true;  // a copy or a host function
  if (work.events() != events_seen_) return true;  // a task began or ended since the last query
  return process().other_processes_may_write ||
         std::any_of(running().all.begin(), running().all.end(), [&](const RunningLaunch* other) {
           return other != this && now - other->last_asked_ > kRecentQuery;
         });
}

std::string RunningLaunch::others_waiting() const {
  std::lock_guard lock(running().mutex);
  std::string text;
  for (const RunningLaunch* other : running().all) {
    if (other != this && !other->places_.empty())
      text += fmt::format("\n  and in {} on device {}:{}", other->name_, other->device_.ordinal, other->places_);
  }
  return text;
}

// Its kernels never set the flags that this device's kernels wait for.
bool RunningLaunch::is_abandoned() {
  const auto& devices = process().devices;
  const bool failed = std::any_of(devices.begin(), devices.end(), [&](const auto& other) {
    return other.get() != &device_ && other->fault != cudaSuccess;
  });
  if (failed) was_abandoned_ = true;
  return failed;
}

bool RunningLaunch::may_be_helped(const std::string& places) {
  std::lock_guard lock(running().mutex);
  places_ = places;
  const Clock::time_point now = Clock::now();
  if (now - last_asked_ > kRecentQuery) idle_since_ = now;
  last_asked_ = now;
  if (now - idle_since_ > kMaxOutsideWait) return false;
  const bool may_continue = other_processes_may_progress(now);
  events_seen_ = process().work.events();
  return may_continue;
}

}  // namespace ridge::runtime
