// The device that RIDGE_DEVICE and --as name: one that is built in, or a file in the form of
// warp_model/devices/*.toml.
#pragma once

#include <string>
#include <string_view>

#include "warp_model/device.h"

namespace ridge::trace {

// Kept for the rest of the process; nullptr with `error` saying what is known, or what is wrong in
// the file. "" is the default device.
const warp_model::DeviceDescription* choose_device(std::string_view asked, std::string& error);

// What nvcc is told for it: "90a", "80".
std::string architecture_of(const warp_model::DeviceDescription& device);

}  // namespace ridge::trace
