// Measures how long each stage of an operation takes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::measure {

struct StageTime {
  std::string name;
  double seconds = 0;
};

// A stage ends where the next begins. A repeated name adds to its time.
class StageClock {
 public:
  // `seconds`: a monotonic clock; empty: the host's.
  explicit StageClock(std::function<double()> seconds = {});
  void enter(std::string_view stage);  // "": no stage
  // In the order of their first start. The current stage counts up to now.
  std::vector<StageTime> times() const;

 private:
  std::function<double()> seconds_;
  std::vector<StageTime> times_;
  size_t current_ = 0;
  double began_ = 0;
  bool running_ = false;
};

}  // namespace ridge::measure
