// Reads a device description: lines `name = value  # source`, the subset of TOML that needs no more (text in
// quotes, numbers, lists of whole numbers). devices/*.toml are built in; a user's own file has the same form.
#pragma once

#include <string>
#include <string_view>

#include "warp_model/device.h"

namespace ridge::warp_model {

// The description, kept for the rest of the process; nullptr with `error` saying which line is wrong, or
// which figure is missing, and what to write.
const DeviceDescription* read_device(std::string_view text, std::string& error);

// The texts of devices/*.toml, the default device's first.
std::span<const std::string_view> built_in_device_texts();

}  // namespace ridge::warp_model
