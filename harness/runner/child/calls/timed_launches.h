// Times the launches of the student's code one by one: an event before and after each of them, in
// the launch's stream, recorded by the runner's functions with the runtime's names
// (observed_functions.cpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::runner {

// Launches are timed during the lifetime of the object; only one may exist at a time.
class TimedLaunches {
 public:
  TimedLaunches();
  ~TimedLaunches();
  TimedLaunches(const TimedLaunches&) = delete;
  TimedLaunches& operator=(const TimedLaunches&) = delete;
  // In the order of the launches. The device must have been synchronized.
  std::vector<double> milliseconds() const;
};

// Lives while one call of the runtime is made. No effect unless the call is a launch outside of a
// capture, and launches are timed.
class LaunchTimer {
 public:
  LaunchTimer(std::string_view call, uint64_t stream);
  ~LaunchTimer();
  LaunchTimer(const LaunchTimer&) = delete;
  LaunchTimer& operator=(const LaunchTimer&) = delete;

 private:
  bool is_on_ = false;
  uint64_t stream_;
};

}  // namespace ridge::runner
