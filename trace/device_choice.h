// Finds the device that RIDGE_DEVICE and --as name: a built-in one, or a file in the form of
// warp_model/devices/*.toml.
#pragma once

#include <string>
#include <string_view>

#include "warp_model/device.h"

namespace ridge::trace {

// The description lives until the process ends. nullptr on failure: `error` then lists the known
// devices, or the mistake in the file. "" is the default device.
const warp_model::DeviceDescription* choose_device(std::string_view asked, std::string& error);

// The architecture in nvcc's options: "90a", "80".
std::string architecture_of(const warp_model::DeviceDescription& device);

}  // namespace ridge::trace
