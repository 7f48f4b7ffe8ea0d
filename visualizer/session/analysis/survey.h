// Aggregates all records: how often each part of each array was touched, and what each warp's lanes
// did. For a million records that is too slow for a frame, so a thread does it.
#pragma once

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "visualizer/session/analysis/touches.h"

namespace ridge::view {

struct WarpActivity {
  uint64_t accesses = 0, barriers = 0, divergences = 0;
  std::array<uint64_t, 32> lanes{};  // number of accesses per lane
  double full() const;               // fraction of lane slots that its accesses use, 0 to 1
};

struct Survey {
  Touches touches;
  std::vector<std::vector<WarpActivity>> warps;  // by index in AccessTrace::blocks, and warp
};

// Starts immediately; the trace must outlive it. The destructor stops the thread and joins it.
class Surveyor {
 public:
  explicit Surveyor(const LoadedTrace& trace);
  ~Surveyor();
  Surveyor(const Surveyor&) = delete;
  Surveyor& operator=(const Surveyor&) = delete;

  const Survey* done() const { return done_ ? &survey_ : nullptr; }  // nullptr: not yet
  const Survey& wait();

 private:
  void walk(const LoadedTrace& trace);
  Survey survey_;
  std::atomic<bool> done_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace ridge::view
