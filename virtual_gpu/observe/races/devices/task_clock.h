// The order of tasks (launches, copies, fills) that streams, events and the host establish: a
// vector clock with one entry per stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ridge::observe {

struct TaskClock {
  // By stream, sorted: that stream's tasks up to this number have ended before.
  std::vector<std::pair<uint32_t, uint64_t>> last;

  void raise(uint32_t queue, uint64_t number) {
    const auto at =
        std::lower_bound(last.begin(), last.end(), queue,
                         [](const auto& entry, uint32_t key) { return entry.first < key; });
    if (at == last.end() || at->first != queue)
      last.insert(at, {queue, number});
    else
      at->second = std::max(at->second, number);
  }
  void join(const TaskClock& other) {
    for (const auto& [queue, number] : other.last)
      raise(queue, number);
  }
  bool covers(uint32_t queue, uint64_t number) const {
    const auto at =
        std::lower_bound(last.begin(), last.end(), queue,
                         [](const auto& entry, uint32_t key) { return entry.first < key; });
    return at != last.end() && at->first == queue && at->second >= number;
  }
  bool covers(const TaskClock& other) const {
    return std::all_of(other.last.begin(), other.last.end(),
                       [&](const auto& entry) { return covers(entry.first, entry.second); });
  }
};

}  // namespace ridge::observe
