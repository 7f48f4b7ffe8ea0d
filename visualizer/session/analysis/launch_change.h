// What a run of a kernel costs beside the run before it: sectors of global memory, wavefronts of shared memory.
#pragma once

#include <array>
#include <string>

#include "visualizer/session/loaded_trace.h"

namespace ridge::view {

struct LaunchChange {
  static constexpr std::array<const char*, 2> kNames{"sectors of global memory", "wavefronts of shared memory"};
  std::array<CostSum, 2> now{}, before{};  // as kNames
  bool whole_launch = false;               // false: of the recorded blocks only
};
LaunchChange change_of(const LoadedTrace& now, const LoadedTrace& before);

// Global and shared memory, of the recorded blocks.
std::array<CostSum, 2> recorded_costs(const LoadedTrace& trace);

// "1/8 of them", "3x as many": percents say little of many times as much. Both are more than 0.
std::string times_text(uint64_t now, uint64_t before);

// One sentence for who has just run a kernel anew.
std::string news_of(const LoadedTrace& now, const LoadedTrace& before);

}  // namespace ridge::view
