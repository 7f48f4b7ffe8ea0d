// The memory hierarchy of a device as four levels, for the pyramid and the rooflines. Each figure
// has its source; figures that nobody published are unknown.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "warp_model/device_file.h"

namespace ridge::warp_model {

struct MemoryLevel {
  std::string_view name;  // "registers", "L1 and shared", "L2", "HBM"
  DeviceFigure bytes_per_sm, bytes, latency_cycles,
      gb_per_s;  // bytes_per_sm: unknown for levels that all SMs share
};

inline constexpr size_t kRegisters = 0, kL1 = 1, kL2 = 2, kDram = 3, kLevels = 4;

std::array<MemoryLevel, kLevels> memory_levels(const DeviceDescription& device);

// The memory of other devices, beside DRAM: reached through L2 and a link. It has no size of its
// own. Its number follows those of the levels.
inline constexpr size_t kPeers = kLevels;
MemoryLevel peer_level(const DeviceDescription& device);

}  // namespace ridge::warp_model
