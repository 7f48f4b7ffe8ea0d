// Bytes through each level of the memory hierarchy in one launch, beside what would do, and which source
// lines they are of.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/session/loaded_trace.h"
#include "warp_model/memory_levels.h"

namespace ridge::view {

struct LineBytes {
  uint32_t line = 0;
  double bytes = 0, ideal = 0;  // ideal 0: not known for one line
};

struct LevelTraffic {
  bool counted = false;
  double bytes = 0, ideal = 0;
  double kept_above = 0;  // > 0: needed, and in the level above before the launch or still there after it
  std::string formula, ideal_formula;  // for a person, with the numbers
  std::vector<LineBytes> lines;        // most first
};

struct LaunchTraffic {
  std::array<LevelTraffic, warp_model::kLevels> levels;
  bool whole_launch = false;   // false: the recorded blocks only, and nothing below L1
  bool without_lanes = false;  // moves_without_lanes()
  double sample = 0;           // the part of the launch whose caches were followed; 0: all, or unknown
};

LaunchTraffic traffic_of(const LoadedTrace& trace);

// Of the kernel's code: copy engines or tensor cores move bytes that no lane asks for, and that the launch's
// counts by line do not have.
bool moves_without_lanes(const LoadedTrace& trace);

// Sectors and wavefronts of the whole launch; nullopt where they are not known.
struct LaunchCost {
  CostSum global, shared;
};
std::optional<LaunchCost> cost_of_launch(const LoadedTrace& trace);

// How deep the sectors of one instruction went: parts that were served by L1, L2 and the memory, sum 1.
std::array<double, 3> depth_of(const LoadedTrace& trace, uint32_t instruction);

}  // namespace ridge::view
