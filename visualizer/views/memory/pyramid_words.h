// What the memory pyramid says of a level, besides its picture.
#pragma once

#include <string>

#include "visualizer/session/analysis/level_traffic.h"
#include "warp_model/memory_levels.h"

namespace ridge::view {

// Which part of the launch was counted, and how.
std::string note_of(const LaunchTraffic& traffic);
// "256 KB per SM, 34 cycles, 33.5 TB/s": what is published of the level.
std::string figures_of(const warp_model::MemoryLevel& level);
// Lines are parts of what moved, or, where more was fetched for them than arrived, of each other.
double all_bytes(const LevelTraffic& traffic);
// What moved at no line's demand; "" when that is next to nothing.
std::string rest_text(const LevelTraffic& traffic, bool without_lanes);
// Formulas, lines and where the level's figures come from; `told`: what was moved may be told.
std::string level_tooltip(const warp_model::MemoryLevel& level, const LevelTraffic& traffic, size_t number,
                          bool told);

}  // namespace ridge::view
