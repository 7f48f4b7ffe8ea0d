// What ties a launch to the one ahead of it where it may begin before that one has ended (programmatic dependent
// launch).
#pragma once

#include <atomic>
#include <memory>

#include "virtual_gpu/observe/races/dependent_launch.h"

namespace ridge::runtime {

// Of one launch, or of one kernel node of a graph, however often it is launched.
struct LaunchState {
  std::shared_ptr<LaunchState>
      before;            // of the launch ahead; null: this one begins when all before it has ended
  bool is_kept = false;  // in a graph: it is launched again
  std::atomic<bool> is_followed{false};  // the launch behind may begin early
  std::shared_ptr<const observe::FinishedLaunch>
      finished;  // of the latest run, where it is followed or early
};

// What a launch holds of its state: a node of a graph that gets other parameters keeps its state.
struct LaunchLink {
  std::shared_ptr<LaunchState> state = std::make_shared<LaunchState>();
};

}  // namespace ridge::runtime
