// Connects a launch with the previous one when it may begin before that one has ended (programmatic
// dependent launch).
#pragma once

#include <atomic>
#include <memory>

#include "virtual_gpu/observe/races/dependent_launch.h"

namespace ridge::runtime {

// The state of one launch, or of one kernel node of a graph for all its launches.
struct LaunchState {
  std::shared_ptr<LaunchState>
      // The link of the previous launch; null: this one begins when all work before it has ended.
      before;
  bool is_kept = false;  // in a graph: it is launched again
  std::atomic<bool> is_followed{false};  // the next launch may begin early
  std::shared_ptr<const observe::FinishedLaunch>
      finished;  // of the latest run, when this launch is early or is followed by an early one
};

// A launch refers to its state by this link: a node of a graph keeps its state when it gets other
// parameters.
struct LaunchLink {
  std::shared_ptr<LaunchState> state = std::make_shared<LaunchState>();
};

}  // namespace ridge::runtime
