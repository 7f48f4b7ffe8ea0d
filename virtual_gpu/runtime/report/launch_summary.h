// Sums up all launches of a kernel with one shape into one report line, for programs with many
// small launches.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "trace/launch_report.h"

namespace ridge::runtime {

class LaunchSummary {
 public:
  void add(trace::LaunchReport report);
  // One line per kernel and shape, sorted by name; "launches" is their number.
  std::string lines() const;

 private:
  using Key = std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>, uint32_t, uint32_t>;
  struct Total {
    trace::LaunchReport report;
    uint64_t launches = 0;
  };
  mutable std::mutex mutex_;
  std::map<Key, Total> totals_;
};

}  // namespace ridge::runtime
