// Programmatic dependent launch: a launch that may begin before the previous one in its stream has
// ended. Its accesses before griddepcontrol.wait are not ordered after that launch. Here launches
// run one after the other, so the check compares the memory that each of them has touched.
//
// "In either case the secondary kernel might launch before the data that the primary kernel has
// written are visible", says the CUDA C++ Programming Guide, whether the trigger is called or not.
// A kernel launched this way must therefore wait even when the previous one never calls the
// trigger.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/races/launch_footprint.h"

namespace ridge::observe {

using Footprints = std::vector<std::shared_ptr<const LaunchFootprint>>;

// A launch that has ended, as the next launch sees it.
struct FinishedLaunch {
  std::shared_ptr<const LaunchFootprint> touched;
  // Each block has called the trigger before its wait (or never waited): the next launch may have
  // begun while `before` were still running.
  bool triggers_before_wait = false;
  Footprints before;  // may have been running when this launch began
};
// The launches that may still be running when the launch after `last` begins: at most the newest
// few.
Footprints may_be_running_behind(const FinishedLaunch& last);

class DependentLaunch : public machine::ObserverFactory {
 public:
  struct Options {
    std::string kernel;
    Footprints running;        // launches that may still be running when this one begins
    bool is_early = false;     // launched with permission to begin early
    bool is_followed = false;  // another launch may begin before this one has ended
  };
  // `config` and `memory` must outlive the launch.
  DependentLaunch(Options options, const machine::LaunchConfig& config,
                  machine::DeviceMemory& memory);

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;

  // To be called after the run.
  std::shared_ptr<const FinishedLaunch> finished();
  // Bytes that lanes loaded from global memory before griddepcontrol.wait, when the launch may
  // begin early.
  uint64_t early_load_bytes() const { return early_load_bytes_; }

 private:
  Options options_;
  const machine::LaunchConfig& config_;
  machine::DeviceMemory& memory_;
  const machine::Program* program_ = nullptr;
  LaunchFootprint touched_;
  bool waits_first_ = false;  // a block has waited before its trigger
  uint64_t early_load_bytes_ = 0;
};

}  // namespace ridge::observe
