// How full a kernel makes an SM, what keeps it from more, and what would make room: what a person asks next.
#pragma once

#include <string>

#include "trace/launch_report.h"
#include "warp_model/device.h"

namespace ridge::view {

// Three lines at most: warps and blocks per SM, what each resource allows, where one block more begins to fit.
std::string occupancy_text(const trace::LaunchReport& report, uint32_t threads_a_block,
                           const warp_model::DeviceDescription& device);

}  // namespace ridge::view
