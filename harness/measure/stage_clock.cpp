#include "harness/measure/stage_clock.h"

#include <algorithm>
#include <utility>

#include "harness/measure/rounds.h"

namespace ridge::measure {

StageClock::StageClock(std::function<double()> seconds)
    : seconds_(seconds ? std::move(seconds) : std::function<double()>(host_seconds)) {}

void StageClock::enter(std::string_view stage) {
  const double now = seconds_();
  if (running_) times_[current_].seconds += now - began_;
  running_ = !stage.empty();
  if (!running_) return;
  began_ = now;
  const auto same = std::find_if(times_.begin(), times_.end(),
                                 [&](const StageTime& other) { return other.name == stage; });
  current_ = static_cast<size_t>(same - times_.begin());
  if (same == times_.end()) times_.push_back({std::string(stage), 0});
}

std::vector<StageTime> StageClock::times() const {
  std::vector<StageTime> times = times_;
  if (running_) times[current_].seconds += seconds_() - began_;
  return times;
}

}  // namespace ridge::measure
