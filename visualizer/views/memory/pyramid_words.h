// The texts of the memory pyramid for a level.
#pragma once

#include <string>

#include "visualizer/session/analysis/level_traffic.h"
#include "warp_model/memory_levels.h"

namespace ridge::view {

// Which part of the launch was counted, and how.
std::string note_of(const LaunchTraffic& traffic);
// "256 KB per SM, 34 cycles, 33.5 TB/s": the published figures of the level.
std::string figures_of(const warp_model::MemoryLevel& level);
// The total for the percentages of lines: what moved or, if more was fetched for them than arrived,
// their sum.
double all_bytes(const LevelTraffic& traffic);
// What moved without a source line; "" when it is negligible.
std::string rest_text(const LevelTraffic& traffic, bool without_lanes);
// Formulas, lines and sources of the level's figures. `is_revealed`: the moved bytes may be shown.
std::string level_tooltip(const warp_model::MemoryLevel& level, const LevelTraffic& traffic,
                          size_t number, bool is_revealed);

}  // namespace ridge::view
