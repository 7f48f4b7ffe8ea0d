// The cost of a kernel's run compared with the previous run: sectors of global memory, wavefronts
// of shared memory.
#pragma once

#include <array>
#include <string>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

struct LaunchChange {
  static constexpr std::array<const char*, 2> kNames{"sectors of global memory", "wavefronts of shared memory"};
  std::array<CostSum, 2> now{}, before{};  // in the order of kNames
  bool whole_launch = false;               // false: only the recorded blocks
};
LaunchChange change_of(const LoadedTrace& now, const LoadedTrace& before);

// Global and shared memory, for the recorded blocks.
std::array<CostSum, 2> recorded_costs(const LoadedTrace& trace);

// "1/8 of them", "3x as many": clearer than percents for large factors. Both must be positive.
std::string times_text(uint64_t now, uint64_t before);

// One sentence on the change, shown after a new run.
std::string news_of(const LoadedTrace& now, const LoadedTrace& before);

}  // namespace ridge::view
