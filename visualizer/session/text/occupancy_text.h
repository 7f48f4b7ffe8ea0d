// A kernel's occupancy: how full an SM is, what limits it, and what change would permit more.
#pragma once

#include <string>

#include "trace/launch_report.h"
#include "warp_model/device.h"

namespace ridge::view {

// At most three lines: warps and blocks per SM, the limit of each resource, and the values at which
// one more block fits.
std::string occupancy_text(const trace::LaunchReport& report, uint32_t threads_a_block,
                           const warp_model::DeviceDescription& device);

}  // namespace ridge::view
