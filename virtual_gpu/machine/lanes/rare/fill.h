// Rarely executed operations: compiled once instead of for each instruction set, and not unrolled,
// which shortens the build by half a minute.
#pragma once

#include "virtual_gpu/machine/lanes/lane_table.h"

namespace ridge::machine::RIDGE_LANES {

void add_set_operations(LaneTable& table);
void add_video_operations(LaneTable& table);
void add_scalar_video_operations(LaneTable& table);

}  // namespace ridge::machine::RIDGE_LANES
