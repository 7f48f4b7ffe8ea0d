// Decides whether kernels whose threads only poll may still be released from outside: by the host,
// by work in another stream or on another device, or by another process. Without this, the machine
// would report every wait for the host as a deadlock.
#pragma once

#include <chrono>
#include <cstdint>

namespace ridge::runtime {

// Records that the calling thread uses CUDA: unless it waits in one of our calls, it may write a
// location that a kernel polls.
void record_calling_thread();

// One running launch, from its first block to its last.
class RunningLaunch {
 public:
  RunningLaunch();
  ~RunningLaunch();
  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

  // Called when every thread of the launch has only polled for a while. Returns false after a
  // minute without progress.
  bool may_be_helped();

 private:
  using Clock = std::chrono::steady_clock;
  bool other_processes_may_progress(Clock::time_point now) const;

  Clock::time_point idle_since_{}, last_asked_{};
  uint64_t events_seen_;
  friend struct RunningLaunches;
};

}  // namespace ridge::runtime
