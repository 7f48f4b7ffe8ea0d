// Decides whether kernels whose threads only poll may still be released from outside: by the host,
// by work in another stream or on another device, or by another process. Without this, the machine
// would report every wait for the host as a deadlock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "virtual_gpu/machine/faults/other_launches.h"

namespace ridge::runtime {

struct Device;

// Records that the calling thread uses CUDA: unless it waits in one of our calls, it may write a
// location that a kernel polls.
void record_calling_thread();

// One running launch, from its first block to its last.
class RunningLaunch final : public machine::OutsideWatch {
 public:
  // `name`: of the kernel, for messages.
  RunningLaunch(std::string name, const Device& device);
  ~RunningLaunch() override;
  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

  // Called when every thread of the launch has only polled for a while. Returns false after a
  // minute without progress.
  // `places`: where its threads wait.
  bool may_be_helped(const std::string& places) override;
  // The other running launches and where their threads wait, for the report of a deadlock.
  std::string others_waiting() const override;
  // True when a kernel of another device has failed.
  bool is_abandoned() override;
  bool was_abandoned() const { return was_abandoned_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool other_processes_may_progress(Clock::time_point now) const;

  const std::string name_;
  const Device& device_;
  std::atomic<bool> was_abandoned_{false};
  std::string places_;
  Clock::time_point idle_since_{}, last_asked_{};
  uint64_t events_seen_;
  friend struct RunningLaunches;
};

}  // namespace ridge::runtime
