// The bytes through each level of the memory hierarchy in one launch, the ideal, and the source
// lines that moved them.
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
  double bytes = 0, ideal = 0;  // ideal 0: unknown for one line
};

struct LevelTraffic {
  bool counted = false;
  double bytes = 0, ideal = 0;
  // > 0: needed bytes that were in the level above before the launch, or are still there after it.
  double kept_above = 0;
  std::string formula, ideal_formula;  // for the user, with numbers
  std::vector<LineBytes> lines;        // sorted by bytes, descending
};

struct LaunchTraffic {
  std::array<LevelTraffic, warp_model::kLevels> levels;
  // What went to the memory of other devices and came from there, of this launch alone; nullopt: there
  // is one device. Its lines are not counted.
  std::optional<LevelTraffic> peers;
  bool whole_launch = false;   // false: only the recorded blocks, and nothing below L1
  bool without_lanes = false;  // moves_without_lanes()
  // Fraction of the launch whose caches were simulated; 0: all, or unknown.
  double sample = 0;
};

LaunchTraffic traffic_of(const LoadedTrace& trace);

// True when the kernel's code has copy engines or tensor cores move bytes, which the launch's
// counts by line do not include.
bool moves_without_lanes(const LoadedTrace& trace);

// Sectors and wavefronts of the whole launch; nullopt when they are unknown.
struct LaunchCost {
  CostSum global, shared;
};
std::optional<LaunchCost> cost_of_launch(const LoadedTrace& trace);

// Where the sectors of one instruction hit: fractions for L1, L2 and memory, with sum 1.
std::array<double, 3> depth_of(const LoadedTrace& trace, uint32_t instruction);

}  // namespace ridge::view
