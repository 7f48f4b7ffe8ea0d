// Reads a device description: a TOML file in which every figure is `name = { value = ..., source =
// "..." }`. devices/*.toml are built in; a user's own file has the same form, and may write `name =
// value` without a source.
#pragma once

#include <string>
#include <string_view>

#include "warp_model/device.h"

namespace ridge::warp_model {

// The description lives until the process ends. nullptr on failure: `error` then names the wrong
// line or the missing figure, and what to write.
const DeviceDescription* read_device(std::string_view text, std::string& error);

struct DeviceFigure {
  double value = 0;  // 0: unknown
  std::string source = {};
  bool known() const { return value > 0; }
};

// A figure of a description that was read, with its source. Unknown when the file has no figure of
// that name.
DeviceFigure figure_of(const DeviceDescription& device, std::string_view figure);

// The texts of devices/*.toml, the default device's first.
std::span<const std::string_view> built_in_device_texts();

}  // namespace ridge::warp_model
