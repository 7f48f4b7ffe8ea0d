// The memory hierarchy of a device as four levels, each figure with its source: what the pyramid and the
// roofs are drawn with. What nobody published stays unknown.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "warp_model/device.h"

namespace ridge::warp_model {

struct LevelFigure {
  double value = 0;  // 0: not known
  std::string source = {};
  bool known() const { return value > 0; }
};

struct MemoryLevel {
  std::string_view name;                                      // "registers", "L1 and shared", "L2", "HBM"
  LevelFigure bytes_per_sm, bytes, latency_cycles, gb_per_s;  // bytes_per_sm: unknown for what all SMs share
};

inline constexpr size_t kRegisters = 0, kL1 = 1, kL2 = 2, kDram = 3, kLevels = 4;

std::array<MemoryLevel, kLevels> memory_levels(const DeviceDescription& device);

// A figure of a description's text (device_file.h) and the source beside it. Unknown: the text has none.
LevelFigure figure_in(std::string_view text, std::string_view name);

}  // namespace ridge::warp_model
