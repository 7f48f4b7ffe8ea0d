#include "virtual_gpu/machine/lanes/rare/fill.h"

namespace ridge::machine::RIDGE_LANES {

void fill(LaneTable& table);  // select.cpp refers to it by name

void fill(LaneTable& table) {
  add_set_operations(table);
  add_video_operations(table);
  add_scalar_video_operations(table);
}

}  // namespace ridge::machine::RIDGE_LANES
