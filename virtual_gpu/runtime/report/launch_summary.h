// One report line for all launches of a kernel with one shape, for programs of many small launches.
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
  // A line for each kernel and shape, in the order of their names; "launches" says how many they were.
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
