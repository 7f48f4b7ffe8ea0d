// How long each stage of a piece of work took.
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

// Stages follow each other: one begins where the one before ends. A name that comes again adds to its time.
class StageClock {
 public:
  // `seconds`: a clock that only goes forward; empty: the host's.
  explicit StageClock(std::function<double()> seconds = {});
  void enter(std::string_view stage);  // "": none
  // In the order of their first beginning. The stage that is under way counts up to now.
  std::vector<StageTime> times() const;

 private:
  std::function<double()> seconds_;
  std::vector<StageTime> times_;
  size_t current_ = 0;
  double began_ = 0;
  bool running_ = false;
};

}  // namespace ridge::measure
